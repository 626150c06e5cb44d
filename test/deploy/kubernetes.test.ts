// @module-tag python3
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { settings } from '../../src/start/config.ts';
import { pythonTool } from '../support/installed-tool.ts';
import { ROOT, readShipped } from './composition.ts';

const FILE = 'src/deploy/kubernetes.yaml';
const VALIDATOR = 'kubernetes-validate==1.37.0';
/** The oldest with `preStop.sleep`, and the newest that the validator knows. */
const VERSIONS = ['1.30', '1.37'];
/** Limit for closing live connections. */
const CLOSING_S = 8;

// biome-ignore lint/suspicious/noExplicitAny: the validator knows its shape
const documents: any[] = parseAllDocuments(readShipped(FILE)).map(document => document.toJS());
const ofKind = (kind: string) => documents.filter(document => document.kind === kind);
const pods = ofKind('Deployment').map(({ spec, metadata }) => ({
  role: metadata.labels.role,
  spec,
  pod: spec.template.spec,
  container: spec.template.spec.containers[0],
}));

describe('the manifests for Kubernetes', { timeout: 600_000 }, () => {
  it('are valid by the schemas of Kubernetes', () => {
    const validator = join(pythonTool(VALIDATOR), 'kubernetes-validate');
    for (const version of VERSIONS) {
      const args = ['--strict', '--no-warn', '--kubernetes-version', version, join(ROOT, FILE)];
      expect(execFileSync(validator, args, { encoding: 'utf8', stdio: 'pipe' })).not.toContain('ERROR');
    }
  });

  it.each(pods)('the $role is replaced without a gap, on separate machines', ({ spec, pod, container }) => {
    expect(spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
    expect(spec.replicas).toBeGreaterThan(1);
    const [budget] = ofKind('PodDisruptionBudget').filter(
      ({ spec: { selector } }) => selector.matchLabels.role === spec.selector.matchLabels.role,
    );
    expect(budget.spec.maxUnavailable).toBeLessThan(spec.replicas);
    const [rule] = pod.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution;
    expect(rule.podAffinityTerm.labelSelector).toEqual(spec.selector);
    const graceS = pod.terminationGracePeriodSeconds - container.lifecycle.preStop.sleep.seconds;
    expect(graceS).toBeGreaterThan(CLOSING_S);
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'http' });
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
  });

  it.each(pods)('the $role has minimal privileges', ({ pod, container }) => {
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1_000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it.each(pods)('the $role listens on the port of its service', ({ role, container }) => {
    const http = container.ports.find(({ name }: { name: string }) => name === 'http');
    expect(http.containerPort).toBe(role === 'relay' ? 8_080 : 8_081);
    const [service] = ofKind('Service').filter(({ spec }) => spec.selector.role === role);
    expect(service.spec.ports[0].targetPort).toBe('http');
    const hosts = ofKind('Ingress').flatMap(({ spec }) => spec.rules);
    const backends = hosts.map(({ http }) => http.paths[0].backend.service.name);
    expect(backends).toContain(service.metadata.name);
  });

  it('names settings that exist', () => {
    const named = ofKind('ConfigMap').flatMap(({ data }) => Object.entries(data));
    for (const [name, value] of named) {
      const schema = settings.shape[name as keyof typeof settings.shape];
      expect([name, schema?.safeParse(value).success]).toEqual([name, true]);
    }
    for (const { container, role } of pods) expect(container.env).toEqual([{ name: 'ROLE', value: role }]);
  });
});
