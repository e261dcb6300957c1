// The caller of a command: the system's user on this machine. For the audit log only; it does not decide what the user may do.
import { hostname, userInfo } from 'node:os'
import type { Shell } from '../domain/caller.ts'
import { isPlainText } from '../domain/reference.ts'

const LONGEST_NAME = 64

/** `amina`, or under sudo `amina as root`: `root` alone could be anybody who may use sudo. */
export function shellCaller(
  env: Readonly<Record<string, string | undefined>> = process.env,
  systemName: () => string = () => userInfo().username,
): Shell {
  const user = nameOrNumber(systemName)
  const before = env.SUDO_USER
  // Anybody can set the variable: it adds a name and never replaces the system's user.
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
