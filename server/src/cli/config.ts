// karba config: every setting with its current value and what it is for. Secret values are never printed.
import { Command } from 'commander'
import { readConfig, SETTINGS } from '../config.ts'
import { print } from './print.ts'

interface SettingBody {
  name: string
  value: string
  default: string
  about: string
}

export function configCommand(): Command {
  return new Command('config')
    .description('Prints every setting with its value now. Secret values are not shown.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- config')
    .action(printSettings)
}

function printSettings(options: { json?: boolean }): void {
  const config = readConfig(process.env) as Record<string, unknown>
  const bodies = Object.entries(SETTINGS).map(([name, setting]): SettingBody => {
    const given = process.env[setting.env]
    const hidden = 'secret' in setting && Boolean(given)
    const value = config[name]
    return {
      name: setting.env,
      // A list is shown as it was written in the environment.
      value: hidden ? '(hidden)' : Array.isArray(value) ? given || setting.default : String(value),
      default: setting.default,
      about: setting.about,
    }
  })
  print(
    options.json,
    bodies,
    bodies.flatMap(({ name, value, about }) => [`${name}=${value}`, `  ${about}`, '']),
  )
}
