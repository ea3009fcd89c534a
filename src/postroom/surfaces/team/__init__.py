"""`team`: the default surface, with what the four others lack (product.md sections 5 to 7)."""
