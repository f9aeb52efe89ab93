"""Operations: what a model may do to its own context, declared in ``*.ops`` files (language.md section 6)."""
