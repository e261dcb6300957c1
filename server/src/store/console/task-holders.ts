// Who does which task of the console.
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

export interface TaskHolder {
  taskId: string
  personId: string
  name: string
}

const HOLDER = columns<TaskHolder>({ taskId: 't.task_id', personId: 't.person_id', name: 'p.name' })
const HOLDERS = `select ${HOLDER} from task_holders t join people p on p.person_id = t.person_id`

/** False when somebody has it. */
export const takeTask = async (tx: Queries, taskId: string, personId: string, at: number): Promise<boolean> =>
  (await tx.change(
    'insert into task_holders (task_id, person_id, taken_at) values ($1, $2, $3) on conflict do nothing',
    [taskId, personId, at],
  )) === 1

export async function findHolder(db: Queries, taskId: string): Promise<TaskHolder | undefined> {
  const [holder] = await db.rows<TaskHolder>(`${HOLDERS} where t.task_id = $1`, [taskId])
  return holder
}

export const listHolders = (db: Queries): Promise<TaskHolder[]> => db.rows<TaskHolder>(HOLDERS)

export async function releaseTask(tx: Queries, taskId: string): Promise<void> {
  await tx.change('delete from task_holders where task_id = $1', [taskId])
}
