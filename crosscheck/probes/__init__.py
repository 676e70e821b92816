"""Made-up queries: small ones special in one respect each, realistic ones, and the smallest of all."""
