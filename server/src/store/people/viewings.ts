// When one of the service's people looked at a merchant's pages, why, and until when they may.
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

export interface Viewing {
  viewingId: string
  merchantId: string
  personId: string
  reason: string
  beganAt: number
  until: number
}

const VIEWING = columns<Viewing>({
  viewingId: 'viewing_id',
  merchantId: 'merchant_id',
  personId: 'person_id',
  reason: 'reason',
  beganAt: 'began_at',
  until: 'until',
})

export async function insertViewing(tx: Queries, viewing: Viewing): Promise<void> {
  const { viewingId, merchantId, personId, reason, beganAt, until } = viewing
  await tx.change(
    `insert into viewings (viewing_id, merchant_id, person_id, reason, began_at, until) values ($1, $2, $3, $4, $5, $6)`,
    [viewingId, merchantId, personId, reason, beganAt, until],
  )
}

export async function findViewing(db: Queries, viewingId: string): Promise<Viewing | undefined> {
  const [viewing] = await db.rows<Viewing>(`select ${VIEWING} from viewings where viewing_id = $1`, [viewingId])
  return viewing
}

export async function endViewing(tx: Queries, viewingId: string, at: number): Promise<void> {
  await tx.change('update viewings set until = $2 where viewing_id = $1 and until > $2', [viewingId, at])
}

export interface ViewingByName extends Viewing {
  by: string
}

/** The latest first. */
export const listViewings = (db: Queries, merchantId: string, most: number): Promise<ViewingByName[]> =>
  db.rows<ViewingByName>(
    `select ${VIEWING}, (select name from people p where p.person_id = viewings.person_id) as "by" from viewings
     where merchant_id = $1 order by began_at desc limit $2`,
    [merchantId, most],
  )
