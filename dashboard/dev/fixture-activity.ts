// What was done to the account, as the pretended server tells it.
import type { ActivityRow } from '../../server/src/dashboard-api/shapes.ts'

const HOUR = 3_600_000

const KINDS: Pick<ActivityRow, 'by' | 'action' | 'subject' | 'from' | 'before' | 'after'>[] = [
  {
    ...{ action: 'team.role', subject: 'Moussa Ibrahim', from: '197.214.11.20' },
    ...{ by: { is: 'person', name: 'Awa Diallo' }, before: { role: 'cashier' }, after: { role: 'viewer' } },
  },
  {
    ...{ action: 'merchant.view', subject: null, from: null, before: null },
    ...{ by: { is: 'service', name: 'Ibrahim Moussa' }, after: { reason: 'La boutique a appelé.' } },
  },
  {
    ...{ action: 'keys.revoke', subject: null, from: '2001:db8:77:4::/64' },
    by: { is: 'person', name: 'Awa Diallo' },
    before: { keys: [{ key: 'key_3', kind: 'secret', name: 'Ancien serveur', permissions: ['read', 'create'] }] },
    after: { keys: ['key_3'] },
  },
  {
    ...{ action: 'payment.refund', subject: 'ref000012x7k2m9q4t1w8z', from: '203.0.113.7' },
    ...{ by: { is: 'key', name: 'key_1' }, before: null, after: { refund: 'q7w2e9r4t1y8' } },
  },
]

export const activity = (number: number, now: number): ActivityRow => ({
  number: 900 - number,
  at: now - number * 1.7 * HOUR,
  ...(KINDS[number % KINDS.length] as (typeof KINDS)[number]),
})
