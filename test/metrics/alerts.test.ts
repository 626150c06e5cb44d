import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { programPath } from '../support/programs.ts';

/** Alert rules, the configuration of Alertmanager, and the runbook. */

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const MONITORING = 'src/deploy/monitoring';
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' });

const rules: { alert: string; labels: Record<string, string>; annotations: Record<string, string> }[] = parse(
  read(`${MONITORING}/alerts.yml`),
).groups.flatMap(({ rules: found }: { rules: unknown[] }) => found);

/** Runs the start script with a stand-in for Alertmanager. @returns the path of its configuration */
function configuration(environment: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'tallycast-alertmanager-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync('/bin/true', join(folder, 'alertmanager'));
  const env = { PATH: `${folder}:${process.env['PATH']}`, TMPDIR: folder, ...environment };
  execFileSync('/bin/sh', [path(`${MONITORING}/alertmanager.sh`)], { env, stdio: 'pipe' });
  return join(folder, 'alertmanager.yml');
}

describe('Prometheus', { tags: ['promtool'] }, () => {
  it('accepts its configuration and the rules', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallycast-prometheus-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const name of ['prometheus.yml', 'alerts.yml'])
      writeFileSync(join(folder, name), read(`${MONITORING}/${name}`));
    expect(run(programPath('promtool'), 'check', 'config', join(folder, 'prometheus.yml'))).toContain(
      'SUCCESS',
    );
  });

  it.each(['alert-rules.yml', 'certificate-rules.yml'])('raises the alerts of test/metrics/%s', name => {
    expect(run(programPath('promtool'), 'test', 'rules', path(`test/metrics/${name}`))).toContain('SUCCESS');
  });
});

describe('Alertmanager', { tags: ['amtool'] }, () => {
  const webhook = { ALERT_WEBHOOK_URL: 'https://pager.example/in?key=a&team=b' };
  const email = {
    ALERT_EMAIL_TO: 'night@show.example',
    ALERT_SMTP_HOST: 'smtp.example:587',
    ALERT_SMTP_USER: 'tallycast',
    ALERT_SMTP_PASSWORD: `it's "secret": $HOME \\ {}`,
  };

  it.each([
    ['no receiver', {}, {}],
    ['a webhook', webhook, { webhook_configs: [{ url: webhook.ALERT_WEBHOOK_URL }] }],
    [
      'both',
      { ...webhook, ...email },
      {
        webhook_configs: [{ url: webhook.ALERT_WEBHOOK_URL }],
        email_configs: [
          {
            to: email.ALERT_EMAIL_TO,
            from: email.ALERT_EMAIL_TO,
            smarthost: email.ALERT_SMTP_HOST,
            send_resolved: true,
            auth_username: email.ALERT_SMTP_USER,
            auth_password: email.ALERT_SMTP_PASSWORD,
          },
        ],
      },
    ],
  ])('is configured by the environment with %s', (_, environment, receiver) => {
    const file = configuration(environment);
    expect(run(programPath('amtool'), 'check-config', file)).toContain('SUCCESS');
    expect(parse(readFileSync(file, 'utf8')).receivers).toEqual([{ name: 'operator', ...receiver }]);
  });

  it('does not start with an address and no mail server', () => {
    expect(() => configuration({ ALERT_EMAIL_TO: 'night@show.example' })).toThrow(
      'ALERT_SMTP_HOST: is missing for ALERT_EMAIL_TO',
    );
  });

  it('silences by labels that the rules have', () => {
    const { inhibit_rules } = parse(readFileSync(configuration({}), 'utf8')) as {
      inhibit_rules: { source_matchers: string[]; target_matchers: string[] }[];
    };
    const matching = (matchers: readonly string[]) =>
      rules.filter(({ labels }) =>
        matchers.every(matcher => {
          const [, label = '', values = ''] = /^(\w+)=~?"(.*)"$/.exec(matcher) ?? [];
          return values.split('|').includes(labels[label] ?? '');
        }),
      );
    for (const { source_matchers, target_matchers } of inhibit_rules) {
      expect(matching(source_matchers)).not.toEqual([]);
      expect(matching(target_matchers)).not.toEqual([]);
      // A cause never silences another one.
      expect(matching(target_matchers).filter(({ labels }) => labels['kind'] === 'cause')).toEqual([]);
    }
  });
});

describe('the runbook', () => {
  const [, ...sections] = read('src/metrics/RUNBOOK.md').split(/^## /m);
  const entries = sections.map(section => {
    const [name = '', ...lines] = section.split('\n');
    return { name, text: lines.join('\n') };
  });
  const item = (text: string, title: string) =>
    new RegExp(`^- \\*\\*${title}\\*\\*: ([\\s\\S]*?)(?=^- \\*\\*|(?![\\s\\S]))`, 'm').exec(text)?.[1] ?? '';
  const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, words]) => words as string);
  const messages = new Set(
    [...read('src/metrics/README.md').matchAll(/^\| `([^`|]+)` \| \w+ \|/gm)].map(([, msg]) => msg),
  );
  const panels = JSON.parse(read(`${MONITORING}/dashboard.json`)).panels.map(
    ({ title }: { title: string }) => title,
  );
  const compose = read('docker-compose.yml');
  const services = Object.keys(parse(compose, { merge: true }).services);

  it('has one entry for each alert, which names it', () => {
    expect(entries.map(({ name }) => name).sort()).toEqual(rules.map(({ alert }) => alert).sort());
    for (const { alert, annotations } of rules)
      expect(annotations['runbook']).toBe(`src/metrics/RUNBOOK.md#${alert.toLowerCase()}`);
  });

  it.each(entries)('$name has effect, panel, log and command', ({ text }) => {
    for (const title of ['Effect', 'Panel', 'Log', 'Command']) expect(item(text, title), title).not.toBe('');
  });

  it.each(entries)('$name names panels of the dashboard', ({ text }) => {
    const named = quoted(item(text, 'Panel'));
    expect(named).not.toEqual([]);
    for (const title of named) expect(panels).toContain(title);
  });

  it.each(entries)('$name names log lines that exist', ({ text }) => {
    // Without fields, causes and commands.
    const lines = quoted(item(text, 'Log')).filter(words => / /.test(words) && !words.startsWith('docker'));
    for (const line of lines) expect([...messages]).toContain(line);
  });

  it.each(entries)('$name names services and variables of the compose file', ({ text }) => {
    for (const command of quoted(text).filter(words => words.startsWith('docker compose'))) {
      const [, service] = / (?:exec|restart|--wait|logs --since 10m) ([a-z][\w-]*)/.exec(command) ?? [];
      if (service !== undefined) expect(services, command).toContain(service);
    }
    for (const name of quoted(text).filter(words => /^[A-Z]+_[A-Z_]+$/.test(words)))
      expect(`${compose}${read('src/start/README.md')}`).toContain(name);
  });
});
