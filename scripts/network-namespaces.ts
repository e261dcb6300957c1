// Whether this user may make network namespaces, which `npm run cluster` needs to cut a node's
// network.
import { spawnSync } from 'node:child_process'

export function canMakeNetworkNamespaces(): boolean {
  if (process.getuid?.() !== 0) return false
  const ip = (...args: string[]): boolean => spawnSync('ip', args, { stdio: 'ignore' }).status === 0
  const [name, cable] = [`karba-probe-${process.pid}`, `kp${process.pid}`]
  const can =
    ip('netns', 'add', name) &&
    ip('link', 'add', cable, 'type', 'bridge') &&
    ip('link', 'add', `${cable}v`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
  ip('netns', 'del', name)
  ip('link', 'del', cable)
  return can
}
