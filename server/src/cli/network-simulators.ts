// The simulators of real networks are a package for development: an installation of the service
// alone does not have it.
import { CommandFailed } from './cli.ts'

export async function networkSimulators(): Promise<typeof import('@karba/simulators')> {
  try {
    return await import('@karba/simulators')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CommandFailed(
      'The simulators of real networks are not installed here. Run this in a clone of the repository, where npm ci installs them.',
      'simulators_not_installed',
    )
  }
}
