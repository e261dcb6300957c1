// The name of a command's caller in the audit log.
import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { it } from 'node:test'
import { shellCaller } from './cli.ts'

const noUserName = (): string => {
  throw new Error('uv_os_get_passwd returned ENOENT')
}

const USERS: [about: string, env: Record<string, string>, system: () => string, user: string][] = [
  ['is the system’s user', {}, () => 'amina', 'amina'],
  ['is both under sudo', { SUDO_USER: 'amina' }, () => 'root', 'amina as root'],
  ['is one who used sudo for themselves', { SUDO_USER: 'amina' }, () => 'amina', 'amina'],
  ['is a number where there is no name', {}, noUserName, String(process.geteuid?.())],
  ['ignores a SUDO_USER with a line break', { SUDO_USER: 'x\nshell root' }, () => 'amina', 'amina'],
]
for (const [about, env, system, user] of USERS)
  it(about, () => assert.deepEqual(shellCaller(env, system), { is: 'shell', user, host: hostname() }))
