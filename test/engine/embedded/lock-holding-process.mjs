// Opens the file of a data directory past the engine and holds LMDB's one write lock until a line comes, as a disk that
// hangs would.
import { readSync } from 'node:fs';
import { open } from 'lmdb';

const root = open({ path: process.argv[2], maxDbs: 16, noSubdir: true });
root.transactionSync(() => {
  process.stdout.write('held\n');
  readSync(0, Buffer.alloc(1));
});
await root.close();
