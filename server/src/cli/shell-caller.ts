// Who calls a command: the system's user on this machine. The audit log names them; it does not decide what they may do.
import { hostname, userInfo } from 'node:os'
import type { Shell } from '../domain/caller.ts'
import { isPlainText } from '../domain/reference.ts'

const LONGEST_NAME = 64

/** `amina`, or under sudo `amina as root`: alone, root would be everybody who may use sudo. */
export function shellCaller(
  env: Readonly<Record<string, string | undefined>> = process.env,
  systemName: () => string = () => userInfo().username,
): Shell {
  const user = nameOrNumber(systemName)
  const before = env.SUDO_USER
  // A variable, which anybody can set: it adds a name and never replaces the system's own.
  const isOther = isPlainText(before, LONGEST_NAME) && before !== user
  return { is: 'shell', user: isOther ? `${before} as ${user}` : user, host: hostname() }
}

/** A container's user often has a number and no name. */
function nameOrNumber(systemName: () => string): string {
  try {
    return systemName()
  } catch {
    return String(process.geteuid?.() ?? 'unknown')
  }
}
