"""What tests of several folders share: small runs, forged certificates, damaged folders, strange tables."""
