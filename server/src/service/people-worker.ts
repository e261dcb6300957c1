// Wires together what runs for people in the background: letters, the head of the audit log, the removal of what is over. compose.ts calls it.
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { countWaitingDeliveries } from '../store/console/tasks.ts'
import { logAuditHead } from '../worker/log-audit-head.ts'
import { loop } from '../worker/loop.ts'
import { prunePeople } from '../worker/prune.ts'
import { type MailSender, type SendMailsDeps, sendMails } from '../worker/send-mails.ts'
import { type OpenMail, openMail } from './mail-sender.ts'
import { addressOf } from './payment-worker.ts'
import type { Runtime } from './runtime.ts'

const MAILS_EVERY_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const STOPS_WITHIN_MS = 3_000
/** A chart needs no more. */
const MOST_COUNTED = 100_000

export interface PeopleWorker {
  mail: OpenMail
  /** Where people reach the dashboard. */
  dashboardUrl(): string
  stop(): Promise<void>
}

interface PeopleWorkerDeps {
  runtime: Pick<Runtime, 'config' | 'db' | 'clock' | 'random'>
  app: FastifyInstance
  log: Logger
  /** Instead of the mail server of the settings. */
  sender?: MailSender | undefined
  /** Told how many events wait for receivers. */
  backlog(count: number): void
}

export function openPeopleWorker({ runtime, app, log, sender, backlog }: PeopleWorkerDeps): PeopleWorker {
  const { config, db, clock, random } = runtime
  const mail = openMail(config, log)
  const dashboardUrl = () => `${config.publicUrl || (addressOf(app) ?? 'http://localhost')}/dashboard`
  const failed = (error: unknown): void =>
    log.error({ err: error }, 'a round for people failed; it will be tried again')
  const mailDeps: SendMailsDeps = {
    ...{ db, clock, random, dashboardUrl },
    sender: sender ?? mail,
    givenUp: ({ mailId, kind }, error) =>
      log.error({ mailId, kind, error }, 'a letter could not be sent: it is given up'),
  }
  const told = (head: string) => log.info({ head }, 'the head of the audit log: `karba audit verify --head` takes it')
  async function readBacklog(): Promise<boolean> {
    backlog(await countWaitingDeliveries(db, MOST_COUNTED))
    return false
  }
  const rounds: [everyMs: number, round: () => Promise<boolean>][] = [
    [MAILS_EVERY_MS, () => sendMails(mailDeps)],
    [HOUR_MS, () => logAuditHead({ db, told })],
    [HOUR_MS, () => prunePeople({ db, clock })],
    [MINUTE_MS, readBacklog],
  ]
  const whenClockIsRight = (round: () => Promise<boolean>) => async () => clock.isRight() && round()
  const loops = (config.role === 'api' ? [] : rounds).map(([everyMs, round]) =>
    loop({ clock, failed, everyMs, round: whenClockIsRight(round) }),
  )
  return {
    mail,
    dashboardUrl,
    stop: async () => {
      const stopped = Promise.all(loops.map(({ stop }) => stop()))
      // A letter that a slow mail server has not taken by then is sent again at the next start.
      await Promise.race([stopped, new Promise<void>((resolve) => clock.after(STOPS_WITHIN_MS, resolve))])
      await mail.close()
    },
  }
}
