// The account's settings, read once for all their pages.
import type { SettingsBody } from '../../../../server/src/dashboard-api/shapes.ts'
import { useChange, useRead } from '../../api/account.ts'
import { put } from '../../api/client.ts'
import { usePlace } from '../../session/place.ts'

export function useSettings() {
  const { accountId } = usePlace()
  return useRead<SettingsBody>(`accounts/${accountId}`, 'settings')
}

export function useSaveSettings<Input extends object>(part: 'brand' | 'business' | 'sites') {
  const { accountId } = usePlace()
  const base = `accounts/${accountId}`
  return useChange(base, (input: Input) => put(`${base}/settings/${part}`, input), ['settings', 'home'])
}
