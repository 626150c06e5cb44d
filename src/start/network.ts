import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { isLoopback } from '../http/loopback.ts';
import { type Config, givenSettings, InvalidSettings } from './config.ts';

/** Tunnels, containers and virtual machines, whose addresses other devices cannot reach. */
const VIRTUAL =
  /^(?:tun|tap|wg|utun|ppp|ipsec|tailscale|zt|docker|br-|veth|virbr|vmnet|vboxnet|cni|flannel|cali|podman|lxc|lxd|incus|kube|bridge|vEthernet|VMware|VirtualBox)/i;
/** Any address of the internet: connecting a datagram socket sends nothing, and chooses the route. */
const ELSEWHERE = '203.0.113.1';
const CHECK_MS = 10_000;

/** Returns the private IPv4 addresses of this machine, that of the default route first. */
export async function findLanAddresses(): Promise<string[]> {
  const addresses = privateAddresses(networkInterfaces());
  const routed = await routedAddress();
  return [...new Set(addresses.includes(routed) ? [routed, ...addresses] : addresses)];
}

/** Returns the private IPv4 addresses of a machine's own interfaces. */
export function privateAddresses(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string[] {
  return Object.entries(interfaces)
    .filter(([name]) => !VIRTUAL.test(name))
    .flatMap(([, addresses = []]) => addresses)
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
    .filter(address => ipaddr.parse(address).range() === 'private');
}

/** @returns the address of the default route; empty without one */
async function routedAddress(): Promise<string> {
  const socket = createSocket('udp4');
  try {
    socket.connect(53, ELSEWHERE);
    await once(socket, 'connect');
    return socket.address().address;
  } catch {
    return '';
  } finally {
    socket.close();
  }
}

/**
 * Returns the settings for `--lan`: the servers listen on every address, and links contain the
 * address of this machine in its network.
 *
 * @param address undefined while the machine is in no network
 * @throws InvalidSettings if HOST lets no other device connect
 */
export function withLan(config: Config, address: string | undefined): Config {
  const { HOST: host = '0.0.0.0' } = givenSettings();
  if (isLoopback(host))
    throw new InvalidSettings(
      `--lan opens the servers to the network, and HOST=${host} does not: unset HOST`,
    );
  return { ...config, HOST: host, LAN_ADDRESS: address };
}

/**
 * Calls `onChange` when this machine has another address in its network. A machine that leaves the
 * network for a moment keeps its address.
 *
 * @returns ends it
 */
export function watchLan(address: string | undefined, onChange: (address: string) => void): () => void {
  let current = address;
  const timer = setInterval(async () => {
    const addresses = await findLanAddresses();
    const [first] = addresses;
    if (first === undefined || addresses.includes(current ?? '')) return;
    current = first;
    onChange(first);
  }, CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
