"""Auth profiles: several keys for one provider, with a cooldown for those that fail (runtime spec, section 7)."""
