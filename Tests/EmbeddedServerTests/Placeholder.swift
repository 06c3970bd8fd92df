// Tests of EmbeddedServer.
