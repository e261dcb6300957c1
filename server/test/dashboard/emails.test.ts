// Emails that Karba sends by itself: who gets each, in which language, at most one an hour about
// the same cause, and not those that a person has switched off.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Email } from '../../src/actions/emails/emails.ts'
import { recordOutcomes } from '../../src/actions/payments/record-outcomes.ts'
import { warnOfFailing } from '../../src/actions/webhooks/endpoints.ts'
import type { MerchantRole } from '../../src/domain/people/role.ts'
import { htmlOf } from '../../src/service/mail-sender.ts'
import { findOperatorPayment } from '../../src/store/payments/payments.ts'
import { setPersonDetails } from '../../src/store/people/people.ts'
import { ask, fillFile, type SignedIn, signedIn } from '../kit/people.ts'
import { order, post } from '../kit/service.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { newEndpoint, writeEvents } from '../kit/webhooks.ts'

const HOUR_MS = 3_600_000
const SERVICE = { is: 'service', part: 'test' } as const

const STEPS = {
  fr: /validé\. Vous pouvez encaisser .*\n\n.*mode Production :\n\n1\. .*créez votre clé secrète de production dans Développeurs : il n’y en a pas encore.*\n\n2\. .*Liens de paiement\.\n\n3\. Payez vous-même 100 F /,
  en: /validated\. You can collect .*\n\n.*live mode:\n\n1\. .*create your live secret key under Developers: there is none yet.*\n\n2\. .*Payment links\.\n\n3\. Pay 100 F yourself /,
}

for (const store of STORES_IN_HALVES)
  describe(`emails on ${store.name}`, async () => {
    const emails: Email[] = []
    const mailSender = {
      send: async (email: Email) => void emails.push(email),
      close: async () => {},
    }
    const refused = { status: 401, durationMs: 5, answer: '', error: null, retryAfterMs: null }
    const sender = { send: async () => refused, close: async () => {} }
    const settings = { KARBA_REFUND_APPROVAL_ABOVE: '1000' }
    const service = await openVirtualService(store, settings, { mailSender, sender })
    const support = await signedIn(service, { forServiceAs: 'support' }, 'Sani')
    const finance = await signedIn(service, { forServiceAs: 'finance' }, 'Fati')
    after(() => service.remove())

    async function newTeam() {
      const { merchantId, accounts } = await service.merchant()
      const person = (as: MerchantRole) => signedIn(service, { at: merchantId, as }, `Awa ${as}`)
      const team = {
        owner: await person('owner'),
        developer: await person('developer'),
        viewer: await person('viewer'),
      }
      return { merchantId, accounts, ...team }
    }

    /** What has been sent by now, and forgets it. */
    async function sent(): Promise<Email[]> {
      for (let round = 0; round < 4; round++) await service.clock.advance(1_000)
      return emails.splice(0)
    }
    const buttonIn = (email: Email | undefined) =>
      /<a [^>]*>([^<]*)<\/a>/.exec(htmlOf(email as Email))?.[1]
    const to = (all: readonly Email[], ...people: SignedIn[]) =>
      people.map(({ email }) =>
        all.filter((each) => each.to === email).map(({ subject }) => subject),
      )

    /** Sessions of staff end after an idle hour: each call has its own. */
    const staff = (as: 'support' | 'finance') => signedIn(service, { forServiceAs: as })
    const setStatus = async (merchantId: string, status: string, reason: string) =>
      ask(service, `POST /console/merchants/${merchantId}/live/status`, await staff('support'), {
        status,
        reason,
      })

    it('emails: a suspension and a refused validation reach the owner alone, with the reason', async () => {
      const { merchantId, owner, developer, viewer } = await newTeam()
      await setStatus(merchantId, 'suspended', 'trop de plaintes')
      const suspended = await sent()
      assert.deepEqual(to(suspended, owner, developer, viewer), [
        ['Karba\u00a0: le compte de «\u00a0Boutique Awa\u00a0» est suspendu'],
        [],
        [],
      ])
      assert.match(
        suspended[0]?.text ?? '',
        /Motif\u00a0: trop de plaintes\n\nPour consulter votre compte\u00a0:\n\nhttp:\/\/localhost\/dashboard\/a\/acc_\w+\/account\/business\n/,
      )
      await setStatus(merchantId, 'unvalidated', 'registre illisible')
      assert.deepEqual(to(await sent(), owner), [
        ['Karba\u00a0: le compte de «\u00a0Boutique Awa\u00a0» n’est pas validé'],
      ])
    })

    it('emails: the one that opens live says which key is missing and the first three steps, once', async () => {
      for (const language of ['fr', 'en'] as const) {
        const email = `new-${language}@example.com`
        const password = 'trois théières bleues'
        const given = { merchantName: 'Tissus Zinder', name: 'Hadiza', email, password, language }
        const { body } = await ask(service, 'POST /sign-up', undefined, given)
        const [{ merchantId, accounts }] = body.merchants
        const token = /confirm#(\S+)/.exec((await sent())[0]?.text ?? '')?.[1]
        await ask(service, 'POST /confirmation/confirm', undefined, { token, password })
        const validate = async () => {
          await setStatus(merchantId, 'validated', 'papers fine')
          const { body: open } = await ask(service, 'GET /console/tasks', await staff('support'))
          const task = open.rows.find(
            ({ subject }: { subject: string }) => subject === accounts[1].accountId,
          )
          const administrator = await signedIn(service, { forServiceAs: 'administrator' })
          assert.equal(
            (await ask(service, `POST /console/tasks/${task.taskId}/approve`, administrator)).code,
            200,
          )
          return (await sent()).find((each) => each.to === email) as Email
        }
        const opened = await validate()
        assert.match(opened.text.replaceAll('\u00a0', ' '), STEPS[language])
        assert.equal(htmlOf(opened).match(/<p[^>]*>[123]\. /g)?.length, 3)
        assert.ok(opened.text.includes(`/dashboard/a/${accounts[1].accountId}\n`))

        // Suspended and validated again, it has its key.
        await service.db.change(
          `update api_keys set kind = 'secret' where account_id = :accountId`,
          { accountId: accounts[1].accountId },
        )
        await setStatus(merchantId, 'suspended', 'trop de plaintes')
        await service.clock.sleep(HOUR_MS)
        await sent()
        assert.doesNotMatch((await validate()).text, /1\. |100/)
      }
    })

    it('emails: each is in the person’s language, as plain text and as HTML that escapes names', async () => {
      const { merchantId, owner } = await newTeam()
      await setPersonDetails(service.db, owner.personId, { name: 'Awa <b>D</b>', language: 'en' })
      await setStatus(merchantId, 'suspended', 'see <script>alert(1)</script>')
      const [email] = await sent()
      assert.equal(email?.subject, 'Karba: “Boutique Awa” is suspended')
      const html = htmlOf(email as Email)
      assert.match(html, /<html lang="en">/)
      assert.match(html, /Hello Awa &lt;b&gt;D&lt;\/b&gt;,/)
      assert.match(html, /Reason: see &lt;script&gt;/)
      assert.equal(buttonIn(email), 'See my account')
      assert.doesNotMatch(html, /<script|<img|src=/)
    })

    it('emails: an invitation to a newcomer is in the language of the person who invites', async () => {
      const { accounts, owner } = await newTeam()
      const at = `POST /accounts/${accounts.sandbox.accountId}/invitations`
      const subjects: string[] = []
      for (const language of ['fr', 'en'] as const) {
        await setPersonDetails(service.db, owner.personId, { name: 'Awa', language })
        await ask(service, at, owner, {
          email: `koffi-${language}-${store.name}@example.com`,
          role: 'viewer',
        })
        subjects.push(...(await sent()).map(({ subject }) => subject))
      }
      assert.deepEqual(subjects, [
        'Karba\u00a0: invitation à rejoindre «\u00a0Boutique Awa\u00a0»',
        'Karba: an invitation to join “Boutique Awa”',
      ])
    })

    it('emails: a suspended sandbox is named in the subject, and is not taken for the live account', async () => {
      const { merchantId, owner } = await newTeam()
      const path = `POST /console/merchants/${merchantId}/sandbox/status`
      await ask(service, path, await staff('support'), {
        status: 'suspended',
        reason: 'essais trop nombreux',
      })
      const [email] = (await sent()).filter(({ to: address }) => address === owner.email)
      assert.match(
        email?.subject ?? '',
        /^Karba \(bac à sable\)\u00a0: le compte de .* est suspendu$/,
      )
      assert.match(email?.text ?? '', /Le bac à sable de «\u00a0Boutique Awa\u00a0» est suspendu/)
    })

    it('emails: French HTML breaks no line before a colon or inside quotation marks', async () => {
      const { merchantId } = await newTeam()
      await setStatus(merchantId, 'unvalidated', 'illisible')
      const [email] = await sent()
      assert.doesNotMatch(htmlOf(email as Email), /<p[^>]*>[^<]*( [:;?!»]|« )/)
    })

    it('emails: an endpoint that fails is announced once an hour, however often it fails and works again', async () => {
      const { accounts, owner, developer, viewer } = await newTeam()
      const { accountId } = accounts.sandbox
      const endpoint = await newEndpoint(service, accountId, 'https://shop.example.com/hook')
      await writeEvents(service, accountId, [1, 2, 3])
      await service.clock.advance(61_000)
      const failing = await sent()
      const subject = 'Karba (bac à sable)\u00a0: vos webhooks n’arrivent plus'
      assert.deepEqual(to(failing, owner, developer, viewer), [[subject], [subject], []])
      assert.match(failing[0]?.text ?? '', /https:\/\/shop\.example\.com\/hook \(réponse 401\)/)
      const again = async () => {
        await service.db.change(
          'update webhook_endpoints set warned_at = null where endpoint_id = :endpointId',
          { endpointId: endpoint.endpointId },
        )
        await Promise.all(Array.from({ length: 5 }, () => warnOfFailing(service, SERVICE)))
        return to(await sent(), owner)
      }
      assert.deepEqual(await again(), [[]], 'within the hour')
      await service.clock.sleep(HOUR_MS)
      emails.length = 0
      assert.deepEqual(await again(), [[subject]], 'after the hour')
    })

    it('emails: a request for validation reaches the staff who review files, and links to the merchant', async () => {
      const { merchantId, accounts } = await service.merchant({ validateLive: false })
      const owner = await signedIn(service, { at: merchantId, as: 'owner' })
      const { accountId } = accounts.live
      await fillFile(service, owner, accountId)
      await ask(service, `POST /accounts/${accountId}/validation`, owner)
      const all = await sent()
      const subject = 'Karba\u00a0: un dossier attend votre examen'
      assert.deepEqual(to(all, support, finance, owner), [[subject], [], []])
      assert.match(all[0]?.text ?? '', new RegExp(`/dashboard/console/merchants/${merchantId}\n`))
      await service.clock.sleep(HOUR_MS)
      await ask(service, `POST /accounts/${accountId}/validation`, owner)
      await setStatus(merchantId, 'unvalidated', 'registre illisible')
      assert.deepEqual(to(await sent(), support), [[]], 'answered before it was sent')
    })

    it('emails: a large refund that waits reaches the staff who may approve it', async () => {
      const { accounts, owner } = await newTeam()
      const { accountId, secretKey } = accounts.live
      const refund = async () => {
        const { body } = await post(service, secretKey, order({ amount: 1500 }))
        await service.clock.advance(10_000)
        return ask(service, `POST /accounts/${accountId}/payments/${body.reference}/refund`, owner)
      }
      assert.equal((await refund()).body.approval.state, 'waiting')
      await refund()
      const subject =
        'Karba\u00a0: un remboursement de 1\u00a0500\u00a0F\u00a0CFA attend une validation'
      const all = await sent()
      assert.deepEqual(to(all, finance, support, owner), [[subject], [], []], 'one for both')
      assert.equal(buttonIn(all[0]), 'Examiner le remboursement')
    })

    it('emails: late money reaches the owner and the staff who settle it, once', async () => {
      const { accounts, owner, viewer } = await newTeam()
      const { accountId, secretKey } = accounts.sandbox
      const { body } = await post(service, secretKey, order({ msisdn: '40410000001' }))
      await service.clock.advance(60_000)
      await service.db.change(
        `update payments set status = 'failed' where reference = :reference`,
        { reference: body.reference as string },
      )
      const payment = await findOperatorPayment(service.db, { accountId }, body.reference as string)
      assert.ok(payment)
      emails.length = 0
      const answer = { is: 'succeeded', amountXof: 1500, operatorReference: 'OP-1' } as const
      const report = { payment, via: 'status', calledAt: service.clock.now(), answer } as const
      for (let times = 0; times < 3; times++) await recordOutcomes(service, SERVICE, [report])
      const subject = 'Karba (bac à sable)\u00a0: paiement tardif de 1\u00a0500\u00a0F\u00a0CFA'
      const all = await sent()
      assert.deepEqual(to(all, owner, finance, viewer), [[subject], [subject], []])
      const buttons = [owner, finance].map(({ email }) =>
        buttonIn(all.find((each) => each.to === email)),
      )
      assert.deepEqual(buttons, ['Voir le paiement', 'Examiner le paiement'])
    })

    it('emails: late money that was accepted before its email was sent is not announced', async () => {
      const { accounts } = await newTeam()
      const { accountId, secretKey } = accounts.sandbox
      const { body } = await post(service, secretKey, order({ msisdn: '40410000001' }))
      await service.clock.advance(60_000)
      const setTo = (status: string) =>
        service.db.change('update payments set status = :status where reference = :reference', {
          reference: body.reference as string,
          status,
        })
      await setTo('failed')
      const payment = await findOperatorPayment(service.db, { accountId }, body.reference as string)
      assert.ok(payment)
      emails.length = 0
      const answer = { is: 'succeeded', amountXof: 1500, operatorReference: 'OP-2' } as const
      await recordOutcomes(service, SERVICE, [
        { payment, via: 'status', calledAt: service.clock.now(), answer },
      ])
      await setTo('succeeded')
      assert.deepEqual(await sent(), [])
    })

    it('emails: a person switches a kind off and on; another person’s choice stays', async () => {
      const { merchantId, owner, developer } = await newTeam()
      const choices = async (who: SignedIn) => (await ask(service, 'GET /emails', who)).body.rows
      const kindsOf = async (who: SignedIn) =>
        (await choices(who)).map(({ kind }: { kind: string }) => kind)
      assert.deepEqual(await kindsOf(owner), [
        'account_status',
        'endpoint_failing',
        'late_money',
        'new_sign_in',
      ])
      assert.deepEqual(await kindsOf(developer), ['endpoint_failing', 'new_sign_in'])
      assert.deepEqual(await kindsOf(await staff('finance')), [
        'late_money',
        'refund_waiting',
        'new_sign_in',
      ])
      assert.deepEqual(await kindsOf(await staff('support')), ['file_waiting', 'new_sign_in'])
      const second = await signedIn(service, { at: merchantId, as: 'owner' })
      const choose = (isOn: boolean) =>
        ask(service, 'PUT /emails', owner, { kind: 'account_status', isOn })
      assert.equal((await choose(false)).code, 200)
      assert.equal((await choose(false)).code, 200)
      assert.equal((await choices(owner))[0].isOn, false)
      await setStatus(merchantId, 'suspended', 'trop de plaintes')
      const subjects = to(await sent(), owner, second)
      assert.deepEqual(
        subjects.map(({ length }) => length),
        [0, 1],
      )
      await choose(true)
      assert.equal((await choices(owner))[0].isOn, true)
      const unknown = await ask(service, 'PUT /emails', owner, { kind: 'constructor', isOn: false })
      assert.equal(unknown.body.code, 'input_not_valid')
    })
  })
