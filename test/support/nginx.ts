import { readFileSync } from 'node:fs';
import { type BehindTheDoor, type DoorProgram, type FrontDoor, replaceAll, startDoor } from './front-door.ts';
import { programPath } from './programs.ts';

const NGINX: DoorProgram = {
  file: 'nginx.conf',
  listen: address => `listen ${address};`,
  adapt(text, folder, accessLog) {
    const asRoot = process.getuid?.() === 0 ? 'user root;' : '';
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      name => `${name}_temp_path ${folder}/${name};`,
    );
    const inside = `http { log_format plain '$status $request'; ${paths.join(' ')}`;
    const outside = `${asRoot} daemon off; pid ${folder}/nginx.pid; worker_shutdown_timeout 1s;`;
    return `${outside}\n${replaceAll(text, {
      'http {': inside,
      'access_log off;': `access_log ${accessLog} plain;`,
      '/var/cache/nginx': folder,
    })}`;
  },
  start: (file, folder) => [programPath('nginx'), ['-c', file, '-p', folder, '-e', 'stderr']],
  readLine: line => line,
  pids: childrenOf,
};

export function startNginx(behind: BehindTheDoor): Promise<FrontDoor> {
  return startDoor(NGINX, behind);
}

/** Linux alone tells. */
function childrenOf(pid: number): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return list.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
