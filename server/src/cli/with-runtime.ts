// Opens the store of the settings for one command, beside a running server or without one, and closes it whatever happens.
import { readConfig } from '../config.ts'
import type { Shell } from '../domain/caller.ts'
import { openRuntime, type Runtime } from '../service/runtime.ts'
import { shellCaller } from './shell-caller.ts'

interface Wishes {
  /** Only for a command that makes something where there is nothing yet; any other says that there is no store. */
  mayCreate?: boolean
}

export async function withRuntime<T>(
  work: (runtime: Runtime, caller: Shell) => Promise<T>,
  { mayCreate = false }: Wishes = {},
): Promise<T> {
  const runtime = await openRuntime(readConfig(process.env), { numbersAtOnce: 1, mayMigrate: false, mayCreate })
  try {
    return await work(runtime, shellCaller())
  } finally {
    await runtime.close()
  }
}
