// Statements that other tests run on SQLite only, on PostgreSQL: what each one changes and finds.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RECHECKED_FOR_MS } from '../../src/domain/payments/verdict.ts'
import { EVERY_ACCOUNT } from '../../src/domain/people/caller.ts'
import type { Value, Values } from '../../src/store/engine/database.ts'
import {
  acceptLateAttempt,
  attemptStatus,
  beginAttempt,
  closePoster,
  endAttempt,
  findLink,
  findPoster,
  insertPaymentAttempt,
  isReferenceTaken,
  type NewAttempt,
  setTypedAmount,
} from '../../src/store/links/payment-links.ts'
import {
  listConnectionRefusals,
  removeConnectionRefusal,
  writeConnectionRefusal,
} from '../../src/store/operators/connections.ts'
import {
  insertRecheck,
  keepNetworkId,
  removeOldRecheck,
} from '../../src/store/payments/payment-moves.ts'
import { probePayments } from '../../src/store/payments/payments.ts'
import { bringBackPayments, listPrompted } from '../../src/store/payments/pending-payments.ts'
import { replaceRecoveryCodes, spendRecoveryCode } from '../../src/store/people/credentials.ts'
import { claimMails, endMail, insertMail, postponeMail } from '../../src/store/people/mails.ts'
import {
  endInvitation,
  findInvitation,
  findInvitationByToken,
  findMember,
  insertInvitation,
  isMerchantValidated,
  listInvitations,
  setInvitationToken,
  setRole,
} from '../../src/store/people/members.ts'
import {
  findPerson,
  findUnconfirmedPerson,
  insertPerson,
  setPersonDetails,
} from '../../src/store/people/people.ts'
import {
  insertSession,
  listSessions,
  noteSessionUsed,
  removeSession,
  removeSessionOfToken,
} from '../../src/store/people/sessions.ts'
import { insertRequests, listRequests } from '../../src/store/requests/request-log.ts'
import {
  addFailures,
  claimEndpointQueues,
  freeAllEndpointQueues,
  giveBackEndpointQueue,
  listUnwarned,
  markGone,
  setWarned,
  setWorking,
} from '../../src/store/webhooks/endpoints.ts'
import {
  findPosition,
  insertReplay,
  listLatestEvents,
  listReplays,
  takeReplayNumber,
} from '../../src/store/webhooks/events.ts'
import { column } from '../kit/callers.ts'
import { insertPending, paymentOf } from '../kit/pending-payments.ts'
import { signedIn } from '../kit/people.ts'
import { openTestService } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { POSTGRES } from '../kit/stores.ts'
import { newLink } from '../links/payer.ts'

const NOW = 1_800_000_000_000

describe('statements on PostgreSQL', () => {
  const service = shared(() => openTestService(POSTGRES, { KARBA_ROLE: 'api' }))

  const one = async (sql: string, values?: Values): Promise<Record<string, Value> | undefined> =>
    (await service.db.read<Record<string, Value>>(sql, values))[0]
  const sandbox = async () => (await service.merchant()).accounts.sandbox

  /** The reference of a new pending payment. */
  async function newPending(accountId: string, dueAt: number): Promise<string> {
    await insertPending(service, accountId, 1, { dueAt })
    const newest =
      'select reference from payments where account_id = :accountId order by number desc limit 1'
    return (await one(newest, { accountId }))?.reference as string
  }

  it('sessions: are listed by their last use, and end by their id or their token', async () => {
    const { db } = service
    const { personId, sessionId: first } = await signedIn(service, { forNobody: true })
    const session = {
      personId,
      network: '127.0.0.1',
      browser: 'a test',
      startedAt: NOW,
      endsAt: NOW + 1_000,
    }
    for (const name of ['second', 'third'])
      await insertSession(db, { ...session, sessionId: name, tokenHash: `hash ${name}` })
    await noteSessionUsed(db, 'third', NOW + 2)
    await noteSessionUsed(db, 'second', NOW + 1)
    const listed = async () => (await listSessions(db, personId)).map(({ sessionId }) => sessionId)
    assert.deepEqual(await listed(), ['third', 'second', first])
    assert.equal(await removeSession(db, 'per_other', 'third'), false)
    assert.equal(await removeSession(db, personId, 'third'), true)
    await removeSessionOfToken(db, 'hash second')
    assert.deepEqual(await listed(), [first])
  })

  it('people: change their details, spend a recovery code once, and the last of an unconfirmed address is found', async () => {
    const { db } = service
    const { personId } = await signedIn(service, { forNobody: true })
    await setPersonDetails(db, personId, { name: 'Zara', language: 'en' })
    assert.partialDeepStrictEqual(await findPerson(db, personId), {
      name: 'Zara',
      language: 'en',
    })
    await replaceRecoveryCodes(db, personId, ['one', 'other'])
    const spent = [
      await spendRecoveryCode(db, personId, 'one', NOW),
      await spendRecoveryCode(db, personId, 'one', NOW),
    ]
    assert.deepEqual(spent, [true, false])
    const unconfirmedEmail = 'new@example.com'
    const person = {
      name: 'Awa',
      language: 'fr',
      passwordHash: '',
      serviceRole: null,
      isFirstPassword: false,
    } as const
    for (const [at, id] of ['per_early', 'per_late'].entries())
      await insertPerson(db, {
        ...person,
        personId: id,
        email: id,
        unconfirmedEmail,
        createdAt: NOW + at,
      })
    assert.equal((await findUnconfirmedPerson(db, unconfirmedEmail))?.personId, 'per_late')
  })

  it('teams: have new roles, and invitations that end once', async () => {
    const { db } = service
    const { merchantId, accounts } = await service.merchant({ name: 'Chez Ali' })
    const { personId } = await signedIn(service, { at: merchantId, as: 'viewer' })
    await setRole(db, merchantId, personId, 'cashier')
    assert.equal((await findMember(db, merchantId, personId))?.role, 'cashier')
    const invitation = {
      invitationId: 'inv_1',
      merchantId,
      email: 'sani@example.com',
      role: 'viewer',
    } as const
    await insertInvitation(db, {
      ...invitation,
      invitedBy: personId,
      createdAt: NOW,
      endsAt: NOW + 1_000,
    })
    await setInvitationToken(db, 'inv_1', 'hash')
    const found = await findInvitation(db, 'inv_1')
    assert.partialDeepStrictEqual(found, {
      ...invitation,
      merchantName: 'Chez Ali',
      endsAt: NOW + 1_000,
      overAt: null,
    })
    assert.deepEqual(await findInvitationByToken(db, 'hash', NOW), found)
    assert.deepEqual(await listInvitations(db, merchantId, NOW), [found])
    assert.deepEqual(await listInvitations(db, merchantId, NOW + 1_000), [])
    assert.equal(
      await endInvitation(db, { merchantId: 'mer_other', invitationId: 'inv_1' }, NOW),
      false,
    )
    assert.equal(await endInvitation(db, invitation, NOW + 1), true)
    assert.equal(await endInvitation(db, invitation, NOW + 2), false)
    assert.equal(await findInvitationByToken(db, 'hash', NOW), undefined)
    assert.equal((await findInvitation(db, 'inv_1'))?.overAt, NOW + 1)
    const other = await service.merchant({ validateLive: false })
    assert.equal(await isMerchantValidated(db, accounts.sandbox.accountId), true)
    assert.equal(await isMerchantValidated(db, other.accounts.sandbox.accountId), false)
  })

  it('emails: one that failed is due again at its time, one that was given up or sent never', async () => {
    const { db } = service
    const mail = {
      email: 'awa@example.com',
      kind: 'invitation',
      about: 'inv_1',
      createdAt: NOW,
      attempts: 0,
    } as const
    for (const mailId of ['mail_1', 'mail_2']) await insertMail(db, { ...mail, mailId })
    const claim = async (at: number) =>
      (await claimMails(db, at, 1_000, 10))
        .map(({ mailId, attempts }) => `${mailId} ${attempts}`)
        .sort()
    assert.deepEqual(await claim(NOW), ['mail_1 1', 'mail_2 1'])
    await postponeMail(db, 'mail_1', 'refused', NOW + 5_000)
    await endMail(db, 'mail_2', NOW + 1)
    assert.deepEqual(await claim(NOW + 4_999), [])
    assert.deepEqual(await claim(NOW + 5_000), ['mail_1 2'])
    await postponeMail(db, 'mail_1', 'refused again', null)
    assert.deepEqual(await claim(NOW + 9_000_000), [])
    const kept = await one(`select last_error, sent_at from mails where mail_id = 'mail_1'`)
    assert.deepEqual(kept, { last_error: 'refused again', sent_at: null })
  })

  it('posters: keep their reference and the time of their first closing', async () => {
    const { db } = service
    const { accountId, secretKey } = await sandbox()
    const reference = await newLink(service, secretKey, { reusable: true })
    assert.deepEqual(
      [await isReferenceTaken(db, reference), await isReferenceTaken(db, 'free')],
      [true, false],
    )
    await closePoster(db, { accountId: 'acc_other' }, reference, NOW)
    assert.equal((await findPoster(db, { accountId }, reference))?.status, 'initiated')
    for (const at of [NOW, NOW + 1]) await closePoster(db, { accountId }, reference, at)
    assert.equal((await findPoster(db, { accountId }, reference))?.status, 'failed')
    assert.equal(
      (await one('select closed_at from posters where reference = :reference', { reference }))
        ?.closed_at,
      NOW,
    )
  })

  it('links: take a typed amount before an attempt only; the attempt keeps the network’s id, and succeeds late', async () => {
    const { db } = service
    const { secretKey } = await sandbox()
    const reference = await newLink(service, secretKey)
    const amount = async () => (await findLink(db, EVERY_ACCOUNT, reference))?.amountXof
    const link = await findLink(db, EVERY_ACCOUNT, reference)
    assert.ok(link)
    const { accountId, number } = link
    await setTypedAmount(db, link, 900)
    const attemptReference = 'attempt-1'
    const begun: NewAttempt = {
      accountId,
      number,
      attempt: 1,
      attemptReference,
      method: 'mobile',
      operator: 'airtel_ne',
      country: 'NE',
      connection: 'airtel_ne',
      msisdn: '22796123456',
      msisdnWritten: '96123456',
      amountXof: 900,
      at: NOW,
      handedOverAt: null,
      dueAt: NOW + 10,
      environment: 'sandbox',
      promptedMsisdn: '22796123456',
      pageAccount: null,
      browserHash: 'hash',
    }
    assert.equal(await beginAttempt(db, 'initiated', begun), true)
    await insertPaymentAttempt(db, begun)
    await setTypedAmount(db, link, 5_000)
    assert.equal(await amount(), 900)
    const keep = (claimedDueAt: number) =>
      keepNetworkId(
        db,
        {
          ...link,
          environment: 'sandbox',
          connection: 'airtel_ne',
          operator: 'airtel_ne',
          attemptReference,
        },
        { networkId: 'net-1', claimedDueAt, now: NOW },
      )
    assert.deepEqual([await keep(NOW + 11), await keep(NOW + 10)], [false, true])
    const ids = await one(
      `select p.network_id as paid, t.network_id as attempt from payments p
       join payment_attempts t on t.reference = p.attempt_reference
       where p.account_id = :accountId and p.number = :number`,
      { accountId, number },
    )
    assert.deepEqual(ids, { paid: 'net-1', attempt: 'net-1' })
    await acceptLateAttempt(db, attemptReference)
    assert.equal(await attemptStatus(db, attemptReference), 'pending')
    assert.equal(
      await endAttempt(db, attemptReference, {
        status: 'failed',
        failureReason: 'expired',
        at: NOW,
      }),
      true,
    )
    await acceptLateAttempt(db, attemptReference)
    assert.equal(await attemptStatus(db, attemptReference), 'succeeded')
  })

  it('payments: keep the network’s id while they are claimed, are listed once prompted, and come back from a future', async () => {
    const { db } = service
    const { accountId } = await sandbox()
    const reference = await newPending(accountId, NOW)
    const payment = await paymentOf(service, reference)
    const keep = (claimedDueAt: number) =>
      keepNetworkId(db, payment, { networkId: 'net-2', claimedDueAt, now: NOW })
    assert.deepEqual([await keep(NOW + 1), await keep(NOW)], [false, true])
    assert.equal((await paymentOf(service, reference)).networkId, 'net-2')
    const line = { environment: 'sandbox', connection: 'airtel_ne', kind: 'request' } as const
    const bringBack = (latest: number) =>
      bringBackPayments(db, line, accountId, {
        now: NOW - 5,
        soonest: latest,
        latest: [{ method: 'mobile', onFirstDay: latest, later: latest }],
      })
    assert.deepEqual([await bringBack(NOW), await bringBack(NOW - 1)], [0, 1])
    assert.equal(
      (await one('select due_at from payments where reference = :reference', { reference }))
        ?.due_at,
      NOW - 5,
    )
    assert.deepEqual(await listPrompted(db, accountId, 10), [])
    await db.change(
      'update payments set handed_over_at = :handedOverAt where reference = :reference',
      {
        handedOverAt: NOW,
        reference,
      },
    )
    assert.deepEqual(column(await listPrompted(db, accountId, 10), 'reference'), [reference])
  })

  it('rechecks: end with an answer to a question that was asked after the three days, not before', async () => {
    const { db } = service
    const { accountId } = await sandbox()
    const payment = await paymentOf(service, await newPending(accountId, NOW))
    await insertRecheck(db, payment, NOW)
    const left = async () =>
      (
        await db.read('select 1 from rechecks where request_reference = :reference', {
          reference: payment.reference,
        })
      ).length
    await removeOldRecheck(db, payment, NOW + RECHECKED_FOR_MS - 1)
    assert.equal(await left(), 1)
    await removeOldRecheck(db, payment, NOW + RECHECKED_FOR_MS)
    assert.equal(await left(), 0)
  })

  it('a store that can record payments takes the probe, and keeps nothing of it', async () => {
    await probePayments(service.db, 'probe', NOW)
    assert.equal(await one(`select reference from payments where account_id = 'probe'`), undefined)
  })

  it('refused configurations: keep their first time, and end with a payment that was sent later', async () => {
    const { db } = service
    const route = {
      environment: 'sandbox',
      connection: 'airtel_ne',
      operator: 'airtel_ne',
    } as const
    const refusal = {
      ...route,
      since: NOW,
      refusedAt: NOW,
      why: 'wrong key',
      kind: 'settings',
    } as const
    await writeConnectionRefusal(db, refusal)
    await writeConnectionRefusal(db, {
      ...refusal,
      since: NOW + 1,
      refusedAt: NOW + 1,
      why: 'still wrong',
    })
    const kept = { ...refusal, refusedAt: NOW + 1, why: 'still wrong' }
    await removeConnectionRefusal(db, refusal, NOW - 1)
    assert.deepEqual(await listConnectionRefusals(db), [kept])
    await removeConnectionRefusal(db, refusal, NOW)
    assert.deepEqual(await listConnectionRefusals(db), [])
  })

  it('request log: is filtered by method and by hundred, the newest first', async () => {
    const { db } = service
    const { accountId } = await sandbox()
    const request = {
      accountId,
      path: '/api/v1/payments',
      errorCode: null,
      keyId: 'key_1',
      milliseconds: 3,
    }
    const requests = [
      { ...request, at: NOW, requestId: 'a', method: 'POST', status: 201 },
      {
        ...request,
        at: NOW,
        requestId: 'b',
        method: 'GET',
        status: 404,
        errorCode: 'payment_not_found',
      },
      { ...request, at: NOW + 1, requestId: 'c', method: 'POST', status: 422 },
    ]
    for (let twice = 0; twice < 2; twice++) await insertRequests(db, requests)
    const list = (filter: Parameters<typeof listRequests>[3], at = NOW + 2) =>
      listRequests(db, accountId, { at, requestId: '' }, filter, {
        most: 10,
        lookedAt: 100,
      })
    assert.deepEqual(await list({}), requests.toReversed())
    const idsOf = (rows: readonly { requestId: string }[]) =>
      rows.map(({ requestId }) => requestId).join('')
    assert.equal(idsOf(await list({ method: 'POST' })), 'ca')
    assert.equal(idsOf(await list({ hundred: 4 })), 'cb')
    assert.equal(idsOf(await list({ method: 'GET', hundred: 4 }, NOW + 1)), 'b')
  })

  it('endpoints: a claim is given back only by who has it, a failure keeps its first time, and a removed receiver is gone', async () => {
    const { db } = service
    const { accountId } = await sandbox()
    await db.change(
      `insert into webhook_endpoints (account_id, endpoint_id, url, status, secret_hash,
       signing_secret, created_at, due_at)
       values (:accountId, 'whe_1', 'https://shop.example/', 'on', '', '', :NOW, :NOW)`,
      { accountId, NOW },
    )
    const read = async (column: string) =>
      (await one(`select ${column} as value from webhook_endpoints where endpoint_id = 'whe_1'`))
        ?.value
    const [queue] = await claimEndpointQueues(db, NOW, NOW + 100, 10)
    assert.deepEqual(queue, { accountId, endpointId: 'whe_1', claimedUntil: NOW + 100 })
    await giveBackEndpointQueue(db, {
      accountId,
      endpointId: 'whe_1',
      claimedUntil: NOW + 99,
    })
    assert.equal(await read('claimed_until'), NOW + 100)
    await giveBackEndpointQueue(db, {
      accountId,
      endpointId: 'whe_1',
      claimedUntil: NOW + 100,
    })
    assert.deepEqual([await read('claimed_until'), await read('due_at')], [null, NOW + 100])
    assert.equal((await claimEndpointQueues(db, NOW + 100, NOW + 200, 10)).length, 1)
    await freeAllEndpointQueues(db, NOW + 150)
    assert.deepEqual([await read('claimed_until'), await read('due_at')], [null, NOW + 150])
    const key = { accountId, endpointId: 'whe_1' }
    const health = () =>
      Promise.all([read('failing_since'), read('failures'), read('last_status_code')])
    for (const firstAt of [NOW, NOW + 1])
      await addFailures(db, key, { count: 2, firstAt, lastStatusCode: 401 })
    assert.deepEqual(await health(), [NOW, 4, 401])
    assert.deepEqual(await listUnwarned(db, NOW, 10), [key])
    assert.deepEqual([await setWarned(db, key, NOW), await setWarned(db, key, NOW)], [true, false])
    assert.deepEqual(await listUnwarned(db, NOW, 10), [])
    await setWorking(db, key, NOW - 1)
    assert.deepEqual(
      await health(),
      [NOW, 4, 401],
      'a success before the first failure is recorded late',
    )
    await setWorking(db, key, NOW + 5)
    await addFailures(db, key, { count: 1, firstAt: NOW + 4, lastStatusCode: null })
    assert.deepEqual(
      await health(),
      [null, 0, null],
      'a failure before the success is recorded late',
    )
    await markGone(db, accountId, 'whe_1')
    assert.equal(await read('status'), 'gone')
  })

  it('events: are listed newest first with their payment, and replays after a number in order', async () => {
    const { db } = service
    const { accountId } = await sandbox()
    const reference = await newPending(accountId, NOW)
    const { number } = await paymentOf(service, reference)
    assert.deepEqual(await findPosition(db, accountId, reference), { number, sequence: 0 })
    for (const sequence of [1, 2])
      await db.change(
        `insert into events (account_id, sequence, event_id, event, number, payload, created_at)
         values (:accountId, :sequence, :eventId, 'payment.succeeded', :number, :eventId, :NOW)`,
        { accountId, sequence, eventId: `evt_${sequence}`, number, NOW },
      )
    await db.change('insert into event_feeds (account_id, last_sequence) values (:accountId, 2)', {
      accountId,
    })
    assert.deepEqual(await findPosition(db, accountId, reference), { number, sequence: 2 })
    assert.equal(await findPosition(db, accountId, 'none'), undefined)
    const event = {
      event: 'payment.succeeded',
      createdAt: NOW,
      paymentReference: reference,
      number,
    }
    assert.partialDeepStrictEqual(await listLatestEvents(db, accountId, 3, 10), [
      { ...event, sequence: 2, payload: 'evt_2' },
      { ...event, sequence: 1, payload: 'evt_1' },
    ])
    for (const sequence of [2, 1])
      await insertReplay(db, accountId, await takeReplayNumber(db, accountId), sequence, NOW)
    assert.partialDeepStrictEqual(await listReplays(db, accountId, 0, 10), [
      { replay: 1, sequence: 2, payload: 'evt_2' },
      { replay: 2, sequence: 1, payload: 'evt_1' },
    ])
    const [last, ...more] = await listReplays(db, accountId, 1, 10)
    assert.partialDeepStrictEqual([last, more], [{ replay: 2, sequence: 1, payload: 'evt_1' }, []])
  })
})
