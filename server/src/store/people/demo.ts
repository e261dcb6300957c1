// What the first start in development made and printed: two people and the keys of the demo merchant. Production finds them by these statements.
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

/** The action of the audit entry that names the demo people. */
export const DEMO_ACTION = 'people.demo'

export interface Demo {
  merchantId: string
  at: number
  personIds: string[]
}

export async function findDemo(db: Queries): Promise<Demo | undefined> {
  const [entry] = await db.rows<{ merchantId: string; at: number; detail: string }>(
    `select subject as "merchantId", at, detail from audit_log where action = $1 order by entry limit 1`,
    [DEMO_ACTION],
  )
  if (entry === undefined) return undefined
  const { merchantId, at, detail } = entry
  return { merchantId, at, personIds: Object.values(JSON.parse(detail) as Record<string, string>) }
}

const PERSON = columns<{ personId: string; email: string }>({ personId: 'person_id', email: 'email' })

export async function listDemoPeople(
  db: Queries,
  { personIds: [first = '', second = ''] }: Demo,
): Promise<{ personId: string; email: string }[]> {
  return db.rows(`select ${PERSON} from people where person_id in ($1, $2) and removed_at is null order by email`, [
    first,
    second,
  ])
}

const OF_DEMO = `account_id in (select account_id from accounts where merchant_id = $1)
  and created_at <= $2 and (expires_at is null or expires_at > $3)`

/** The keys that the first start printed; those made later are the merchant's own. */
export const listDemoKeys = (db: Queries, { merchantId, at }: Demo, now: number): Promise<{ keyId: string }[]> =>
  db.rows(`select key_id as "keyId" from api_keys where ${OF_DEMO}`, [merchantId, at, now])

/** Returns how many it revoked. */
export const expireDemoKeys = (tx: Queries, { merchantId, at }: Demo, now: number): Promise<number> =>
  tx.change(`update api_keys set expires_at = $3 where ${OF_DEMO}`, [merchantId, at, now])

export async function removeDemoPerson(tx: Queries, personId: string, at: number): Promise<void> {
  await tx.change('update people set removed_at = $2 where person_id = $1', [personId, at])
}
