"""What tests of certificates share: drafts in the file format, forged and honest, and the checker as a program."""
