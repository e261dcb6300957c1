// What commands, the dashboard and delivery share about endpoints: the rules for their addresses, and the box that seals their secrets.
import type { Config } from '../config.ts'
import type { Random } from '../domain/clock-and-random.ts'
import type { MasterBox } from '../domain/sealed-box.ts'
import { readAllowedTargets, type TargetRules } from '../webhooks/safe-address.ts'
import { boxOf, type MasterKey } from './master-key.ts'

/** Receivers on this machine, allowed in development; in production only addresses that the settings list. */
const OWN_MACHINE = '127.0.0.0/8,::1,localhost'

export function targetRules({ mode, webhookAllow }: Pick<Config, 'mode' | 'webhookAllow'>): TargetRules {
  const own = mode === 'development' ? OWN_MACHINE : ''
  return {
    allowPlainHttp: false,
    allowed: [own, webhookAllow].filter((text) => text !== '').flatMap(readAllowedTargets),
  }
}

export const secretsBox = (master: MasterKey, random: Random): MasterBox => boxOf(master, 'webhook secrets', random)
