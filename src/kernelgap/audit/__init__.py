"""The same question on one's own table: is a network worth it over every kernel?"""
