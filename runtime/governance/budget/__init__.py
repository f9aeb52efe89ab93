"""Budget: how full the context is, and how full it may be (kernel.md section 4, spec/cpat.md sections 6 and 7)."""
