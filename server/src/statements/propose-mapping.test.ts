// Mappings for known exports by their headings, and proposals for files of unknown sources.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inChunks } from '../../test/kit/statement-files.ts'
import { CONNECTORS } from '../operators/connectors/all.ts'
import { StatementRefused } from './limits.ts'
import { NETWORK_MAPPINGS, networkMapping } from './network-mappings.ts'
import { proposeMapping, readSample } from './propose-mapping.ts'
import { readStatement } from './read-statement.ts'

const sourceOf = (rows: readonly string[]) => inChunks(Buffer.from(rows.join('\r\n')), 1_000)

async function read(
  rows: readonly string[],
  mapping = undefined as Parameters<typeof readStatement>[1] | undefined,
) {
  const lines = []
  if (mapping === undefined) assert.fail('no mapping')
  for await (const {
    type,
    amountXof,
    feeXof,
    balanceXof,
    networkReference,
    ourReference,
    bookedAt,
  } of readStatement(sourceOf(rows), mapping))
    lines.push([
      new Date(bookedAt).toISOString().slice(0, 16),
      type,
      amountXof,
      feeXof,
      balanceXof,
      networkReference,
      ourReference,
    ])
  return lines
}

const AIRTEL_TITLES = [
  'Customer Transaction Report',
  '',
  'From,01-NOV-2026',
  'To,30-NOV-2026',
  'User,227',
]

const EXPORTS: readonly [about: string, connector: string, rows: string[], lines: unknown[][]][] = [
  [
    'MTN with fees',
    'mtn-momo',
    [
      'Id,External id,Date,Status,Type,From,From Name,To,To Name,Amount,Fee,Balance',
      '81234567890,ref1,2026-11-15 09:30:00,Successful,Debit,FRI:22997000001/MSISDN,A,FRI:1/MSISDN,B,5000,50,104950',
      '81234567891,ref2,2026-11-15 09:31:00,Failed,Debit,FRI:22997000001/MSISDN,A,FRI:1/MSISDN,B,5000,0,',
      '81234567892,,2026-11-15 10:00:00,Successful,External transfer,FRI:1/MSISDN,B,FRI:2/MSISDN,C,-100000,0,4950',
    ],
    [
      ['2026-11-15T08:30', 'collection', 5_000, 50, 104_950, '81234567890', 'ref1'],
      ['2026-11-15T08:31', 'not_made', 0, 0, null, '81234567891', 'ref2'],
      ['2026-11-15T09:00', 'settlement', -100_000, 0, 4_950, '81234567892', ''],
    ],
  ],
  [
    'MTN without fees, with more columns',
    'mtn-momo',
    [
      'Id,External id,Date,Status,Type,Provider category,From,From account,From name,Amount,Currency,Balance,Currency',
      '81234567890,ref1,2026-11-15 09:30:00,Successful,Payment,,FRI:22997000001/MSISDN,,A,5000.00,XOF,105000.00,XOF',
    ],
    [['2026-11-15T08:30', 'collection', 5_000, 0, 105_000, '81234567890', 'ref1']],
  ],
  [
    'Airtel’s customer report',
    'airtel-money',
    [
      ...AIRTEL_TITLES,
      'Record No,Transaction ID,Reference No.,Transaction Date & Time,Payer Mobile Number,Service Type,Transaction Status,Transaction Amount,External Transaction id',
      '1,MP261115.0930.A00001,Karba,15-NOV-2026  09:30:00,90000001,Merchant Payment,Transaction Success,"5,000.00",ref1',
      '2,MP261115.0931.A00002,Karba,15-NOV-2026  09:31:00,90000002,Merchant Payment,Transaction Failed,"5,000.00",ref2',
    ],
    [
      ['2026-11-15T08:30', 'collection', 5_000, 0, null, 'MP261115.0930.A00001', 'ref1'],
      ['2026-11-15T08:31', 'not_made', 0, 0, null, 'MP261115.0931.A00002', 'ref2'],
    ],
  ],
  [
    'Airtel’s user report',
    'airtel-money',
    [
      ...AIRTEL_TITLES,
      'S. No.,Transaction ID,Sender Msisdn,Transaction Amount,Transaction Date and Time,Transaction Type,Receiver Msisdn,Service Name,Transaction Status,Previous Balance,Post Balance,external_transaction_id',
      '1,A1,90000001,5000,15-NOV-26,MR,90000000,Merchant Payment,Transaction Success,100000,105000,ref1',
      '2,A2,90000000,100000,16-NOV-26,MP,,ChannelWallet To Bank Transfer,Transaction Success,105000,5000,',
    ],
    [
      ['2026-11-14T23:00', 'collection', 5_000, 0, 105_000, 'A1', 'ref1'],
      ['2026-11-15T23:00', 'settlement', -100_000, 0, 5_000, 'A2', ''],
    ],
  ],
  [
    'pawaPay',
    'pawapay',
    [
      'Creation Date,MSISDN,Transaction ID,Amount,Currency,Country,MNO,Type',
      '2026-11-15T09:30:00Z,22997000001,3f1c1f0e-0000-4000-8000-000000000001,1000.0000,XOF,BEN,MTN_MOMO_BEN,Deposit',
      '2026-11-15T09:30:00Z,22997000001,3f1c1f0e-0000-4000-8000-000000000001,18.0000,XOF,BEN,MTN_MOMO_BEN,Fee',
      '2026-11-16T09:30:00Z,,,500.0000,XOF,BEN,,Adjustment',
    ],
    [
      [
        '2026-11-15T09:30',
        'collection',
        1_000,
        0,
        null,
        '',
        '3f1c1f0e-0000-4000-8000-000000000001',
      ],
      ['2026-11-15T09:30', 'fee', -18, 0, null, '', '3f1c1f0e-0000-4000-8000-000000000001'],
      ['2026-11-16T09:30', 'other', 500, 0, null, '', ''],
    ],
  ],
  [
    'FedaPay',
    'fedapay',
    [
      'id,reference,merchant_reference,description,amount,fees,status,created_at,approved_at',
      '101,trx_1,ref1,Commande,5000,90,transferred,2026-11-15T09:29:00.000Z,2026-11-15T09:30:00.000Z',
      '102,trx_2,ref2,Commande,5000,90,pending,2026-11-15T09:29:00.000Z,',
    ],
    [['2026-11-15T09:30', 'collection', 5_000, 0, null, '101', 'ref1']],
  ],
]

describe('statement mappings: exports of networks', () => {
  for (const [about, connector, rows, lines] of EXPORTS) {
    it(`statement mappings: ${about} is read by its own mapping`, async () => {
      const { headings } = await readSample(sourceOf(rows))
      assert.deepEqual(await read(rows, networkMapping(connector, headings)), lines)
    })
  }

  it('statement mappings: every connector of a real network has one', () => {
    assert.deepEqual([...NETWORK_MAPPINGS.keys()].sort(), CONNECTORS.map(({ name }) => name).sort())
  })

  it('statement mappings: an unknown connector and unknown headings have none', () => {
    assert.equal(networkMapping('__proto__', ['Id']), undefined)
    assert.equal(networkMapping('pawapay', ['Creation Date', 'Amount']), undefined)
  })
})

describe('statement mappings: proposals', () => {
  const proposed: readonly [about: string, rows: string[], lines: unknown[][]][] = [
    [
      'French, with a signed amount',
      [
        'Relevé de compte',
        'N° transaction;Date opération;Libellé;Type d’opération;Montant (F CFA);Frais;Solde après opération;Statut',
        'T1;15/11/2026 09:30;Awa;Paiement marchand;5 000;50;104 950;Réussi',
        'T2;16/11/2026 09:30;;Virement banque;-100 000;;4 950;Réussi',
        'T3;16/11/2026 09:31;;Paiement marchand;5 000;;;Échoué',
      ],
      [
        ['2026-11-15T08:30', 'collection', 5_000, 50, 104_950, 'T1', ''],
        ['2026-11-16T08:30', 'settlement', -100_000, 0, 4_950, 'T2', ''],
        ['2026-11-16T08:31', 'not_made', 0, 0, null, 'T3', ''],
      ],
    ],
    [
      'French, with credit and debit',
      [
        'Date;Référence;Libellé;Débit;Crédit;Solde',
        '15/11/2026;R1;Paiement;;5000;105000',
        '16/11/2026;R2;Frais;50;;104950',
      ],
      [
        ['2026-11-14T23:00', 'collection', 5_000, 0, 105_000, 'R1', ''],
        ['2026-11-15T23:00', 'other', -50, 0, 104_950, 'R2', ''],
      ],
    ],
    [
      'English, with the month first and unsigned amounts in UTC',
      [
        'Transaction ID,External ID,Created At (UTC),Transaction Type,Amount,Status',
        '1,ref1,11/15/2026 9:30 AM,Payment,5000,Completed',
        '2,ref2,11/16/2026 9:30 AM,Refund,5000,Completed',
      ],
      [
        ['2026-11-15T09:30', 'collection', 5_000, 0, null, '1', 'ref1'],
        ['2026-11-16T09:30', 'refund', -5_000, 0, null, '2', 'ref2'],
      ],
    ],
  ]
  for (const [about, rows, lines] of proposed) {
    it(`statement mappings: a proposal reads a file in ${about}`, async () => {
      assert.deepEqual(await read(rows, proposeMapping(await readSample(sourceOf(rows)))), lines)
    })
  }

  it('statement mappings: headings without a date or an amount give no proposal', () => {
    assert.equal(proposeMapping({ headings: ['Id', 'Amount'], rows: [] }), undefined)
    assert.equal(proposeMapping({ headings: ['Date', 'Solde'], rows: [] }), undefined)
  })

  it('statement mappings: a repeated heading is not proposed', () => {
    const mapping = proposeMapping({ headings: ['Date', 'Amount', 'Fee', 'Fee'], rows: [] })
    assert.deepEqual(mapping?.columns, { bookedAt: 'Date', amount: 'Amount' })
  })

  it('statement mappings: a file without known headings is refused', async () => {
    await assert.rejects(readSample(sourceOf(['a;b;c', '1;2;3'])), StatementRefused)
  })
})
