// The background work of a process for people: emails, the head of the audit log, and the removal
// of ended sessions and old emails.
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { endOldMoneyChanges } from '../actions/operators/money-changes.ts'
import { warnOfFailing } from '../actions/webhooks/endpoints.ts'
import type { ServiceItself } from '../domain/people/caller.ts'
import { writeHead } from '../domain/verify/audit-chain.ts'
import { findHead } from '../store/audit/audit-log.ts'
import { countWaitingDeliveries } from '../store/console/tasks.ts'
import { loop, pause } from '../worker/loop.ts'
import { prunePeople } from '../worker/prune.ts'
import { type MailSender, type SendMailsDeps, sendMails } from '../worker/send-mails.ts'
import { failureLog } from './failure-log.ts'
import { addressOf } from './listening-address.ts'
import { openMail } from './mail-sender.ts'
import type { Runtime } from './runtime.ts'

const WORKER: ServiceItself = { is: 'service', part: 'worker' }

const MAILS_EVERY_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const STOPS_WITHIN_MS = 3_000
/** Often enough for a chart. */
const MOST_COUNTED = 100_000

interface PeopleWorkerDeps {
  runtime: Pick<Runtime, 'config' | 'db' | 'clock' | 'random'>
  app: FastifyInstance
  log: Logger
  /** Instead of the mail server of the settings. */
  sender?: MailSender | undefined
  /** Called with the number of waiting deliveries. */
  backlog(count: number): void
}

export function openPeopleWorker({ runtime, app, log, sender, backlog }: PeopleWorkerDeps) {
  const { config, db, clock, random } = runtime
  const mail = openMail(config, log)
  const dashboardUrl = () =>
    `${config.publicUrl || (addressOf(app) ?? 'http://localhost')}/dashboard`
  const failures = failureLog(clock, (fields) =>
    log.error(fields, 'a round for people failed; it will be tried again'),
  )
  const mailDeps: SendMailsDeps = {
    db,
    clock,
    random,
    dashboardUrl,
    sender: sender ?? mail,
    givenUp: ({ mailId, kind }, error) =>
      log.error({ mailId, kind, error }, 'an email could not be sent: it is given up'),
  }
  /** A copy of the head outside the database: `karba audit verify --head` compares with it. */
  async function logAuditHead(): Promise<boolean> {
    const head = await findHead(db)
    if (head !== undefined) {
      log.info(
        { head: writeHead(head) },
        'the head of the audit log: `karba audit verify --head` takes it',
      )
    }
    return false
  }
  async function readBacklog(): Promise<boolean> {
    backlog(await countWaitingDeliveries(db, MOST_COUNTED))
    return false
  }
  async function endMoneyChanges(): Promise<boolean> {
    await endOldMoneyChanges({ db, clock }, WORKER)
    return false
  }
  const rounds: [everyMs: number, round: () => Promise<boolean>][] = [
    [MAILS_EVERY_MS, () => sendMails(mailDeps)],
    [HOUR_MS, logAuditHead],
    [HOUR_MS, () => prunePeople({ db, clock })],
    [MINUTE_MS, endMoneyChanges],
    [MINUTE_MS, readBacklog],
    [MINUTE_MS, () => warnOfFailing({ db, clock }, WORKER)],
  ]
  const whenClockIsRight = (round: () => Promise<boolean>) => async () => clock.isRight() && round()
  const loops = (config.role === 'api' ? [] : rounds).map(([everyMs, round]) =>
    loop({ clock, failed: failures.failed, everyMs, round: whenClockIsRight(round) }),
  )
  return {
    mail,
    stop: async (): Promise<void> => {
      const stopped = Promise.all(loops.map(({ stop }) => stop()))
      // An email that a slow mail server has not taken by then is sent again at the next start.
      await Promise.race([stopped, pause(clock, STOPS_WITHIN_MS)])
      await mail.close()
      failures.flush()
    },
  }
}
