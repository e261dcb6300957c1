// Changes of where live money goes: the password or a code again, emails to every owner and to
// staff, and a second owner where there are several. Until that owner confirms, payments go where
// they went.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import { mtnMomoNetwork } from '../../../simulators/src/mtn-momo/network.ts'
import type { ConformanceNetwork } from '../../../simulators/src/network.ts'
import { pawapayNetwork } from '../../../simulators/src/pawapay/network.ts'
import type { Email } from '../../src/actions/emails/emails.ts'
import { openEverySecret, rotateMasterKey } from '../../src/actions/master-key/rotate-master-key.ts'
import { MONEY_CHANGE_WAIT_MS } from '../../src/domain/merchants/money-change.ts'
import { OWNER_SETTLES_MS } from '../../src/domain/people/owner.ts'
import { masterKeyOf, useOf } from '../../src/service/master-key.ts'
import { realRandom } from '../../src/service/runtime.ts'
import { setPersonDetails } from '../../src/store/people/people.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, fillFile, PASSWORD, type SignedIn, signedIn } from '../kit/people.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { dumped, order, post } from '../kit/service.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { credentialOf, openWallets } from '../kit/wallets.ts'

const ALIAS = '3497a720-ab11-4973-9619-534e04f263a1'
const OTHER_ALIAS = '00000000-ab11-4973-9619-534e04f263a1'
const PAYER = { country: 'BJ', msisdn: '0197112233' }
const ADDRESSES = {
  KARBA_NETWORK_ADDRESSES:
    'live/mtn-momo=https://mtn.example,sandbox/pawapay=https://pawapay.example',
}

for (const store of STORES_IN_HALVES)
  describe(`changes of where money goes, on ${store.name}`, () => {
    let service: VirtualService
    let support: SignedIn
    const emails: Email[] = []
    const wallets = new Map<string, ConformanceNetwork>()
    let awa: SignedIn
    let binta: SignedIn
    let live: { accountId: string; secretKey: string }
    let sandbox: { accountId: string }
    let merchantId: string

    before(async () => {
      const mailSender = {
        send: async (email: Email) => void emails.push(email),
        close: async () => {},
      }
      service = await openVirtualService(store, ADDRESSES, {
        mailSender,
        openNetwork: openWallets(wallets),
      })
      support = await signedIn(service, { forServiceAs: 'support' }, 'Sani')
    })
    after(() => service.remove())
    beforeEach(async () => {
      wallets.clear()
      for (const [at, name] of ['awa', 'thief'].entries()) {
        const sendCallback = async () => undefined as never
        const deps = {
          clock: service.clock,
          random: seededRandom(at + 1),
          decideAfterMs: 2_000,
          sendCallback,
        }
        wallets.set(`mtn-momo ${name}`, mtnMomoNetwork(deps))
      }
      const merchant = await service.merchant()
      merchantId = merchant.merchantId
      live = merchant.accounts.live
      sandbox = merchant.accounts.sandbox
      awa = await signedIn(service, { at: merchantId, as: 'owner' }, 'Awa Diallo')
      support = await signedIn(service, { forServiceAs: 'support' }, 'Sani')
      await sent()
    })

    const secondOwner = async () => {
      binta = await signedIn(service, { at: merchantId, as: 'owner' }, 'Binta Sow')
      await setPersonDetails(service.db, binta.personId, { name: 'Binta Sow', language: 'en' })
    }

    function fieldsOf(name: string): Record<string, string> {
      const { credentials } = wallets.get(`mtn-momo ${name}`) as ConformanceNetwork
      return {
        subscriptionKey: credentialOf(credentials.subscriptionKey as string, name),
        apiUser: credentials.apiUser as string,
        apiKey: credentials.apiKey as string,
        'disbursement.subscriptionKey': credentialOf(
          credentials.disbursementSubscriptionKey as string,
          name,
        ),
        'disbursement.apiUser': credentials.disbursementApiUser as string,
        'disbursement.apiKey': credentials.disbursementApiKey as string,
      }
    }

    /** Time passes only when the answer waits for a timer. */
    async function call(
      who: SignedIn,
      request: string,
      body: object = {},
      accountId = live.accountId,
    ) {
      const asked = ask(service, request.replace(' ', ` /accounts/${accountId}`), who, body)
      const isOver = await Promise.race([
        asked.then(() => true),
        service.clock.settle().then(() => false),
      ])
      return isOver ? asked : service.clock.advanceUntil('answer', asked)
    }

    const NEW = { connector: 'mtn-momo', label: 'MTN', serves: ['mtn_bj'] }
    const add = (who: SignedIn, name: string, proof: object, accountId = live.accountId) =>
      call(who, 'POST /connections', { ...NEW, fields: fieldsOf(name), ...proof }, accountId)
    const waiting = async (who: SignedIn) => (await call(who, 'GET /money-changes')).body.rows
    const decide = (
      who: SignedIn,
      changeId: string,
      verb: 'confirm' | 'reject',
      proof: object = {},
    ) => call(who, `POST /money-changes/${changeId}/${verb}`, proof)
    const debits = (name: string): number => wallets.get(`mtn-momo ${name}`)?.books().length ?? 0

    async function pay() {
      await service.clock.advance(1_000)
      await post(service, live.secretKey, order(PAYER))
      await service.clock.advance(10_000)
    }

    async function sent(): Promise<Email[]> {
      for (let round = 0; round < 4; round++) await service.clock.advance(1_000)
      return emails.splice(0)
    }
    const subjectsTo = (all: readonly Email[], { email }: SignedIn) =>
      all.filter(({ to }) => to === email).map(({ subject }) => subject.replaceAll('\u00a0', ' '))

    it('the only owner adds a live connection with the password again, and it works at once', async () => {
      const without = await add(awa, 'awa', {})
      assert.deepEqual([without.code, without.body.code], [403, 'proof_needed'])
      const wrong = await add(awa, 'awa', { password: 'another long phrase' })
      assert.deepEqual([wrong.code, wrong.body.code], [401, 'password_wrong'])
      assert.deepEqual((await call(awa, 'GET /connections')).body.rows, [])
      assert.deepEqual(await sent(), [])
      const added = await add(awa, 'awa', { password: PASSWORD })
      assert.deepEqual([added.code, added.body.is], [200, 'done'])
      await pay()
      assert.equal(debits('awa'), 1)
      const all = await sent()
      assert.deepEqual(subjectsTo(all, awa), [
        'Karba : la destination de l’argent de « Boutique Awa » a changé',
      ])
      assert.deepEqual(subjectsTo(all, support), [
        'Karba : la destination de l’argent de « Boutique Awa » a changé',
      ])
      const text = all.find(({ to }) => to === awa.email)?.text.replaceAll('\u00a0', ' ') ?? ''
      assert.match(text, /nouvelle connexion « MTN » \(MTN[^)]*\)/)
      assert.match(text, /Fait par Awa Diallo\./)
      // It cannot be switched off, so it does not say so.
      assert.doesNotMatch(text, /désactiver/)
      assert.equal(
        (await ask(service, 'PUT /emails', awa, { kind: 'money_change', isOn: false })).code,
        400,
      )
    })

    it('a person with TOTP gives a code, once', async () => {
      const { secret } = (await ask(service, 'POST /totp/begin', awa)).body
      const codeNow = () => new TOTP({ secret }).generate({ timestamp: service.clock.now() })
      await ask(service, 'POST /totp/confirm', awa, { code: codeNow() })
      assert.equal((await add(awa, 'awa', { password: PASSWORD })).body.code, 'proof_needed')
      assert.equal((await add(awa, 'awa', { code: '000000' })).body.code, 'totp_not_valid')
      await service.clock.advance(60_000)
      const code = codeNow()
      assert.equal((await add(awa, 'awa', { code })).code, 200)
      assert.equal((await add(awa, 'thief', { code })).body.code, 'totp_not_valid')
    })

    it('sandbox connections need none of it', async () => {
      const sendCallback = async () => undefined as never
      const network = pawapayNetwork({
        clock: service.clock,
        random: seededRandom(3),
        decideAfterMs: 2_000,
        sendCallback,
      })
      wallets.set('pawapay awa', network)
      const apiToken = credentialOf(network.credentials.apiToken as string, 'awa')
      const wanted = {
        connector: 'pawapay',
        label: 'Essai',
        serves: ['mtn_bj'],
        fields: { apiToken },
      }
      const added = await call(awa, 'POST /connections', wanted, sandbox.accountId)
      assert.equal(added.body.is, 'done', JSON.stringify(added.body))
      assert.deepEqual(await sent(), [])
    })

    it('with two owners other credentials wait for the second: the old ones stay in use, and both owners and staff know', async () => {
      const { connectionId } = (await add(awa, 'awa', { password: PASSWORD })).body
      await secondOwner()
      await sent()
      const change = { fields: fieldsOf('thief'), password: PASSWORD }
      const replaced = await call(awa, `PUT /connections/${connectionId}/credentials`, change)
      assert.deepEqual([replaced.code, replaced.body], [200, { connectionId, is: 'waiting' }])
      await pay()
      assert.deepEqual([debits('awa'), debits('thief')], [1, 0])

      const asked = await sent()
      assert.deepEqual(subjectsTo(asked, awa), [
        'Karba : changement à confirmer pour « Boutique Awa »',
      ])
      assert.deepEqual(subjectsTo(asked, binta), ['Karba: a change to confirm for “Boutique Awa”'])
      assert.equal(subjectsTo(asked, support).length, 1)
      const english = asked.find(({ to }) => to === binta.email)?.text ?? ''
      assert.match(english, /new credentials for the connection “MTN”/)
      assert.match(english, /Nothing has changed yet. Another owner must confirm before/)
      assert.match(english, new RegExp(`/dashboard/a/${live.accountId}\n`))

      const [own] = await waiting(awa)
      const [row] = await waiting(binta)
      assert.deepEqual([own.isOwn, row.isOwn, row.askedBy], [true, false, 'Awa Diallo'])
      assert.deepEqual(row.detail, { kind: 'credentials', label: 'MTN' })
      assert.equal(
        (await decide(awa, row.changeId, 'confirm', { password: PASSWORD })).body.code,
        'second_owner_needed',
      )
      assert.equal((await decide(binta, row.changeId, 'confirm')).body.code, 'proof_needed')
      const wrong = await decide(binta, row.changeId, 'confirm', {
        password: 'another long phrase',
      })
      assert.equal(wrong.body.code, 'password_wrong')
      const proof = { password: PASSWORD }
      const both = await Promise.all([
        decide(binta, row.changeId, 'confirm', proof),
        decide(binta, row.changeId, 'confirm', proof),
      ])
      assert.deepEqual(both.map(({ code }) => code).sort(), [200, 404])
      await pay()
      assert.deepEqual([debits('awa'), debits('thief')], [1, 1])
      const done = await sent()
      assert.equal(subjectsTo(done, awa).length, 1)
      assert.match(
        done.find(({ to }) => to === binta.email)?.text ?? '',
        /Requested by Awa Diallo, confirmed by Binta Sow/,
      )
      const activity = (await call(awa, 'GET /audit')).body.rows.map(
        (each: { action: string }) => each.action,
      )
      for (const action of ['money.ask', 'money.confirm', 'connection.credentials'])
        assert.ok(activity.includes(action), action)
    })

    it('a new connection waits too; rejected it is gone with its credentials, and either owner may', async () => {
      await secondOwner()
      for (const who of ['awa', 'binta'] as const) {
        const added = await add(awa, 'thief', { password: PASSWORD })
        assert.equal(added.body.is, 'waiting')
        await pay()
        assert.equal(debits('thief'), 0)
        const [row] = await waiting(binta)
        assert.deepEqual(row.detail, {
          kind: 'connection',
          connector: 'mtn-momo',
          label: 'MTN',
          serves: ['mtn_bj'],
        })
        assert.equal((await decide(who === 'awa' ? awa : binta, row.changeId, 'reject')).code, 200)
        assert.equal(
          (await decide(binta, row.changeId, 'confirm', { password: PASSWORD })).code,
          404,
        )
        const kept = `select 1 as one from money_changes where credentials is not null
            and account_id = :accountId`
        assert.deepEqual(await service.db.read(kept, { accountId: live.accountId }), [])
      }
      assert.deepEqual((await call(awa, 'GET /connections')).body.rows, [])
      const all = await sent()
      assert.ok(subjectsTo(all, binta).includes('Karba: a change was rejected for “Boutique Awa”'))
    })

    it('a change ends after seven days, and once its asker is no owner any more', async () => {
      await secondOwner()
      await add(awa, 'thief', { password: PASSWORD })
      const [late] = await waiting(binta)
      assert.equal(late.endsAt - late.askedAt, MONEY_CHANGE_WAIT_MS)
      // Days of a virtual clock cost minutes: most of them have passed.
      const endsAt = service.clock.now() + 60_000
      await service.db.change(
        'update money_changes set ends_at = :endsAt where change_id = :changeId',
        { endsAt, changeId: late.changeId },
      )
      await service.clock.advance(50_000)
      assert.equal((await waiting(binta)).length, 1)
      await service.clock.advance(80_000)
      assert.deepEqual(await waiting(binta), [])
      assert.equal(
        (await decide(binta, late.changeId, 'confirm', { password: PASSWORD })).code,
        404,
      )
      const [row] = await service.db.read<{ state: string; credentials: string | null }>(
        'select state, credentials from money_changes where change_id = :changeId',
        { changeId: late.changeId },
      )
      assert.deepEqual({ ...row }, { state: 'expired', credentials: null })
      assert.ok(
        subjectsTo(await sent(), binta).includes('Karba: a change has ended for “Boutique Awa”'),
      )

      await add(awa, 'thief', { password: PASSWORD })
      const [stolen] = await waiting(binta)
      await call(binta, `POST /team/${awa.personId}/role`, {
        role: 'developer',
        password: PASSWORD,
      })
      assert.deepEqual(await waiting(binta), [])
      assert.equal(
        (await decide(binta, stolen.changeId, 'confirm', { password: PASSWORD })).code,
        404,
      )
    })

    /** The owner's session is enough to ask; the invited person accepts with a password. */
    async function inviteOwner(who: SignedIn, proof: object): Promise<SignedIn> {
      const email = `partner-${merchantId}@example.com`
      const invited = await call(who, 'POST /invitations', { email, role: 'owner', ...proof })
      assert.equal(invited.code, 200, JSON.stringify(invited.body))
      const [mail] = (await sent()).filter(({ to }) => to === email)
      const [, token = ''] = /invitation#([\w-]+)/.exec(mail?.address ?? '') ?? []
      const joined = await ask(service, 'POST /invitation/accept', undefined, {
        token,
        password: PASSWORD,
        name: 'Partner',
        language: 'en',
      })
      assert.equal(joined.code, 200, JSON.stringify(joined.body))
      const [cookie = ''] = String(joined.headers['set-cookie']).split(';')
      return { ...awa, email, personId: joined.body.person.personId, cookie }
    }

    it('owners: a session alone makes nobody an owner and removes none; all owners, a removed one too, and staff get an email', async () => {
      await secondOwner()
      const cashier = await signedIn(service, { at: merchantId, as: 'cashier' }, 'Sani Cash')
      const changes: [request: string, body: object, subject: string][] = [
        [
          'POST /invitations',
          { email: `p-${merchantId}@example.com`, role: 'owner' },
          'a new owner is invited',
        ],
        [`POST /team/${cashier.personId}/role`, { role: 'owner' }, 'a new owner'],
        [`POST /team/${cashier.personId}/role`, { role: 'viewer' }, 'one owner fewer'],
        [`POST /team/${binta.personId}/remove`, {}, 'one owner fewer'],
      ]
      for (const [request, body, subject] of changes) {
        const bare = await call(awa, request, body)
        assert.deepEqual([bare.code, bare.body.code], [403, 'proof_needed'], request)
        const wrong = await call(awa, request, { ...body, password: 'another long phrase' })
        assert.deepEqual([wrong.code, wrong.body.code], [401, 'password_wrong'], request)
        assert.deepEqual(subjectsTo(await sent(), binta), [], request)
        const done = await call(awa, request, { ...body, password: PASSWORD })
        assert.equal(done.code, 200, JSON.stringify(done.body))
        const emails = await sent()
        assert.deepEqual(subjectsTo(emails, binta), [`Karba: ${subject} for “Boutique Awa”`])
        assert.equal(subjectsTo(emails, awa).length, 1, request)
        assert.equal(subjectsTo(emails, support).length, 1, request)
      }
      const noProof = await call(awa, `POST /team/${cashier.personId}/role`, { role: 'cashier' })
      assert.equal(noProof.code, 200, 'other roles need no proof')
    })

    it('owners: for seven days a new one confirms nothing, and whoever is left alone changes nothing', async () => {
      // An alias needs to know the country.
      await fillFile(service, awa, live.accountId)
      const { connectionId } = (await add(awa, 'awa', { password: PASSWORD })).body
      const partner = await inviteOwner(awa, { password: PASSWORD })
      const credentials = (who: SignedIn) =>
        call(who, `PUT /connections/${connectionId}/credentials`, {
          fields: fieldsOf('thief'),
          password: PASSWORD,
        })
      assert.equal((await credentials(partner)).body.is, 'waiting', 'the earlier owner confirms')
      const removed = await call(partner, `POST /team/${awa.personId}/remove`, {
        password: PASSWORD,
      })
      assert.equal(removed.code, 200)
      const alone = await credentials(partner)
      assert.deepEqual([alone.code, alone.body.code], [403, 'owner_removed_lately'])
      const alias = await call(partner, 'PUT /settings/pi-spi', {
        alias: ALIAS,
        password: PASSWORD,
      })
      assert.deepEqual([alias.code, alias.body.code], [403, 'owner_removed_lately'])
      await pay()
      assert.deepEqual([debits('awa'), debits('thief')], [1, 0])
      const earlier = service.clock.now() - OWNER_SETTLES_MS - 1
      await service.db.transaction((tx) =>
        tx.change('update audit_log set at = :earlier where account_id = :accountId', {
          earlier,
          accountId: live.accountId,
        }),
      )
      assert.equal((await credentials(partner)).body.is, 'done')
    })

    it('owners: a new one is no second owner of a change that another asked for', async () => {
      await secondOwner()
      const friend = await inviteOwner(binta, { password: PASSWORD })
      assert.equal((await add(binta, 'thief', { password: PASSWORD })).body.is, 'waiting')
      const [{ changeId }] = await waiting(friend)
      const early = await decide(friend, changeId, 'confirm', { password: PASSWORD })
      assert.deepEqual([early.code, early.body.code], [403, 'second_owner_needed'])
      assert.equal((await decide(awa, changeId, 'confirm', { password: PASSWORD })).code, 200)
    })

    it('the PI-SPI alias changes by the same rules from any account; its removal works at once', async () => {
      await fillFile(service, awa, live.accountId)
      const change = (
        who: SignedIn,
        alias: string | null,
        proof: object = {},
        at = live.accountId,
      ) => call(who, 'PUT /settings/pi-spi', { alias, ...proof }, at)
      const shown = async () => (await call(awa, 'GET /settings')).body.piAlias
      for (const at of [live.accountId, sandbox.accountId])
        assert.equal((await change(awa, ALIAS, {}, at)).body.code, 'proof_needed')
      const first = await change(awa, ALIAS, { password: PASSWORD })
      assert.deepEqual([first.body.is, first.body.piAlias], ['done', ALIAS])
      await secondOwner()
      await sent()
      const second = await change(awa, OTHER_ALIAS, { password: PASSWORD }, sandbox.accountId)
      assert.deepEqual([second.body.is, await shown()], ['waiting', ALIAS])
      assert.match(
        (await sent()).find(({ to }) => to === binta.email)?.text ?? '',
        new RegExp(`the PI-SPI alias of the posters becomes ${OTHER_ALIAS}`),
      )
      const [row] = await waiting(binta)
      assert.deepEqual(row.detail, { kind: 'pi_alias', alias: OTHER_ALIAS, earlier: ALIAS })
      assert.equal((await change(binta, null)).body.piAlias, null)
      assert.deepEqual(await waiting(binta), [])
      await change(awa, OTHER_ALIAS, { password: PASSWORD })
      const [again] = await waiting(binta)
      assert.equal(
        (await decide(binta, again.changeId, 'confirm', { password: PASSWORD })).code,
        200,
      )
      assert.equal(await shown(), OTHER_ALIAS)
    })

    it('only owners see and decide them, each of their own merchant; waiting credentials are sealed and survive a rotation', async () => {
      await secondOwner()
      await add(awa, 'thief', { password: PASSWORD })
      const [row] = await waiting(binta)
      const developer = await signedIn(service, { at: merchantId, as: 'developer' })
      assert.equal((await call(developer, 'GET /money-changes')).code, 403)
      assert.equal((await decide(developer, row.changeId, 'reject')).code, 403)
      const other = await service.merchant()
      const stranger = await signedIn(service, { at: other.merchantId, as: 'owner' })
      const theirs = `/accounts/${other.accounts.live.accountId}/money-changes/${row.changeId}`
      assert.equal(
        (await ask(service, `POST ${theirs}/confirm`, stranger, { password: PASSWORD })).code,
        404,
      )
      assert.equal((await ask(service, `POST ${theirs}/reject`, stranger)).code, 404)
      const secrets = Object.values(fieldsOf('thief')).filter((value) => value.length > 20)
      const dump = await dumped(service)
      for (const secret of secrets) assert.ok(!dump.includes(secret))
      const { master } = service
      const to = masterKeyOf('cd'.repeat(32))
      const [from, next] = [useOf(master, realRandom), useOf(to, realRandom)]
      granted(await rotateMasterKey(service, TESTER, { from, to: next }))
      assert.deepEqual((await openEverySecret(service.db, next)).unopened, [])
      granted(await rotateMasterKey(service, TESTER, { from: next, to: from }))
      assert.equal((await decide(binta, row.changeId, 'confirm', { password: PASSWORD })).code, 200)
      await pay()
      assert.equal(debits('thief'), 1)
    })
  })
