// The statements of each morning on both stores: one event and one email for each, whoever
// announces them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { announceStatements } from '../../src/actions/books/announce-statements.ts'
import type { Email } from '../../src/actions/emails/emails.ts'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { SYSCOHADA } from '../../src/domain/books/account-statement.ts'
import {
  dayOf,
  dayText,
  firstOfMonth,
  localDayText,
  startOfDay,
} from '../../src/domain/countries/business-day.ts'
import { htmlOf } from '../../src/service/mail-sender.ts'
import { putStatementMails } from '../../src/store/books/ready-statements.ts'
import { removeMember } from '../../src/store/people/members.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { getFrom, head } from '../kit/service.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService, settledPayment, type VirtualService } from '../kit/virtual-service.ts'
import { SUCCEEDS } from '../links/payer.ts'

const HOUR_MS = 3_600_000
const AT_ONCE = 20

for (const store of STORES_IN_HALVES) {
  describe(`ready statements on ${store.name}`, () => {
    const emails: Email[] = []
    let service: VirtualService
    let merchant: NewMerchant
    let owner: SignedIn
    let accountant: SignedIn
    let cashier: SignedIn
    let secretKey = ''
    let at = ''
    let accountId = ''
    before(async () => {
      const mailSender = {
        send: async (email: Email) => void emails.push(email),
        close: async () => {},
      }
      service = await openVirtualService(store, {}, { mailSender })
      merchant = await service.merchant()
      ;({ secretKey, accountId } = merchant.accounts.sandbox)
      at = `/accounts/${accountId}`
      const join = (as: 'owner' | 'accountant' | 'cashier') =>
        signedIn(service, { at: merchant.merchantId, as })
      ;[owner, accountant, cashier] = [
        await join('owner'),
        await join('accountant'),
        await join('cashier'),
      ]
    })
    after(() => service.remove())

    const paid = (amount: number): Promise<string> =>
      settledPayment(service, secretKey, { msisdn: SUCCEEDS, amount })

    /** To an hour of the next day, as a process that was suspended meanwhile. */
    async function nextDay(hour: number): Promise<number> {
      const today = dayOf(service.clock.now())
      await service.clock.sleep(startOfDay(today + 1) + hour * HOUR_MS - service.clock.now())
      await service.clock.advance(90_000)
      return today
    }

    type Ready = {
      event: string
      data: { period: string; from: string; statements: Record<string, unknown>[] }
    }
    const announced = async (): Promise<Ready[]> => {
      const { events } = (await getFrom(service, secretKey, '/events')).body as { events: Ready[] }
      return events.filter(({ event }) => event === 'statement.ready')
    }

    const choose = (who: SignedIn, daily: boolean, monthly: boolean) =>
      ask(service, `PUT ${at}/statement-mails`, who, { daily, monthly })

    it('each person chooses their emails, and a cashier has none to choose', async () => {
      assert.deepEqual((await ask(service, `GET ${at}/statement-mails`, owner)).body, {
        daily: false,
        monthly: false,
      })
      assert.deepEqual((await choose(owner, true, true)).body, { daily: true, monthly: true })
      assert.equal((await choose(accountant, true, false)).code, 200)
      assert.equal((await choose(cashier, true, true)).code, 403)
    })

    it('the statement of a day is announced at 06:00 of the next one, and not before', async () => {
      await paid(5_000)
      const day = await nextDay(5)
      assert.deepEqual(await announced(), [])
      await service.clock.sleep(HOUR_MS)
      await service.clock.advance(90_000)
      const [ready, ...others] = await announced()
      assert.deepEqual([others, ready?.data.period, ready?.data.from], [[], 'day', dayText(day)])
      const [{ movements: _, reconciliation: __, ...sums } = {}] = [
        (
          await getFrom(
            service,
            secretKey,
            `/statements?connection=airtel_ne&from=${dayText(day)}&to=${dayText(day)}`,
          )
        ).body,
      ]
      assert.deepEqual(ready?.data.statements, [sums])
    })

    it('those who want it get one email, in plain text and HTML', async () => {
      const day = dayOf(service.clock.now()) - 1
      assert.deepEqual(emails.map(({ to }) => to).sort(), [owner.email, accountant.email].sort())
      for (const email of emails.splice(0)) {
        const html = htmlOf(email)
        assert.equal(email.subject, `Karba\u00a0: Relevé du ${localDayText(day)}`)
        assert.match(
          email.text,
          /Airtel Money \(Niger\)\n {2}Solde d’ouverture\u00a0: 0\u00a0F\u00a0CFA\n {2}Encaissements\u00a0: 5\u00a0000\u00a0F\u00a0CFA/,
        )
        assert.match(html, /<caption[^>]*>Airtel Money \(Niger\)<\/caption>/)
        assert.match(
          html,
          /<th[^>]*>Solde de clôture<\/th><td[^>]*>5\u00a0000\u00a0F\u00a0CFA<\/td>/,
        )
        assert.match(
          html,
          new RegExp(`/money/statements\\?day=${dayText(day)}"[^>]*>Voir le relevé complet</a>`),
        )
      }
    })

    it('any number of processes announce a statement once', async () => {
      await paid(1_000)
      const before = (await announced()).length
      const morning = startOfDay(dayOf(service.clock.now()) + 1) + 6 * HOUR_MS
      const deps = { ...service, clock: { ...service.clock, now: () => morning } }
      const part = { is: 'service', part: 'test' } as const
      await Promise.all(Array.from({ length: AT_ONCE }, () => announceStatements(deps, part)))
      await nextDay(6)
      assert.equal((await announced()).length, before + 1)
      assert.equal(emails.splice(0).length, 2)
    })

    it('a day without a movement is not announced', async () => {
      const before = (await announced()).length
      await nextDay(7)
      assert.equal((await announced()).length, before)
    })

    it('a person who left the team, or chose otherwise, gets no email', async () => {
      await paid(2_000)
      await removeMember(service.db, merchant.merchantId, accountant.personId)
      // Their session has ended by now.
      await putStatementMails(service.db, accountId, owner.personId, {
        daily: false,
        monthly: true,
      })
      await nextDay(6)
      assert.deepEqual(emails.splice(0), [])
    })

    it('the statement of a month is announced with that of its last day', async () => {
      await paid(4_000)
      const lastDay = firstOfMonth(firstOfMonth(dayOf(service.clock.now())) + 31) - 1
      await service.clock.sleep(startOfDay(lastDay) + 12 * HOUR_MS - service.clock.now())
      await paid(3_000)
      const before = (await announced()).length
      await nextDay(6)
      const news = (await announced()).slice(before).map(({ data }) => [data.period, data.from])
      assert.deepEqual(news.slice(-2), [
        ['day', dayText(lastDay)],
        ['month', dayText(firstOfMonth(lastDay))],
      ])
      const month = new Date(dayText(lastDay)).toLocaleDateString('fr', {
        month: 'long',
        year: 'numeric',
      })
      assert.deepEqual(
        emails.splice(0).map(({ subject }) => subject.replace(/ d(e |’)/, ' ')),
        [`Karba\u00a0: Relevé ${month}`],
      )
    })

    it('the journal has the merchant’s own account numbers, and refuses what no software takes', async () => {
      const bookkeeper = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
      const put = (numbers: object) =>
        ask(service, `PUT ${at}/journal-accounts`, bookkeeper, { ...SYSCOHADA, ...numbers })
      assert.equal((await put({ fees: '=1+1' })).body.code, 'journal_account_not_valid')
      assert.equal((await put({ electronicMoney: '5521' })).code, 200)
      const day = dayText(dayOf(service.clock.now()) - 1)
      const url = `/api/v1/statements?connection=airtel_ne&from=${day}&to=${day}&format=syscohada`
      const { payload } = await service.app.inject({ method: 'GET', url, headers: head(secretKey) })
      assert.match(payload, /;5521;/)
    })

    it('karba verify finds no difference', async () => {
      assert.deepEqual(
        granted(await verifyStore({ ...service, engineFaults: async () => [] }, TESTER)).findings,
        [],
      )
    })
  })
}
