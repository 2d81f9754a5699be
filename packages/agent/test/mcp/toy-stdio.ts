import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { newJournal, toyServer } from "./toy-server.ts";

const journal = newJournal();
const [mode] = process.argv.slice(2);
if (mode === "broken") {
  process.stderr.write("no licence found\n");
  process.exit(3);
}
process.stderr.write("toy is up\n");
if (mode === "older") await toyServer(journal, "legacy").connect(new StdioServerTransport());
else serveStdio(({ era }) => toyServer(journal, era));
