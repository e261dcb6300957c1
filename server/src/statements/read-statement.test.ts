// Statement files in every form that portals export, and files made to break the reader.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Cell,
  inChunks,
  workbook,
  workbookOfSheet,
  workbookParts,
  zipFile,
} from '../../test/kit/statement-files.ts'
import type { ColumnMapping, StatementFault, StatementLine } from '../domain/books/statement.ts'
import {
  LARGEST_CSV_BYTES,
  LARGEST_UNPACKED_BYTES,
  LARGEST_XLSX_BYTES,
  MOST_XLSX_ROWS,
  StatementRefused,
} from './limits.ts'
import { readStatement } from './read-statement.ts'
import type { StatementSource } from './statement-rows.ts'

const MAPPING: ColumnMapping = {
  columns: {
    bookedAt: 'Date',
    amount: 'Montant',
    fee: 'Frais',
    balance: 'Solde',
    type: 'Type',
    text: 'Libellé',
    networkReference: 'Identifiant',
    ourReference: 'Référence',
    counterparty: 'Téléphone',
  },
  types: { Paiement: 'collection', Remboursement: 'refund' },
  outgoing: ['refund'],
  statuses: [],
  dateOrder: 'day_first',
  utcOffsetMinutes: 60,
}
const HEADINGS = [
  'Identifiant',
  'Référence',
  'Date',
  'Type',
  'Téléphone',
  'Libellé',
  'Montant',
  'Frais',
  'Solde',
]
const FIRST = [
  '9001',
  'CMD-1',
  '15/11/2026 09:30',
  'Paiement',
  '97000001',
  'Été à Cotonou',
  '12 500',
  '125',
  '112 375',
]
const SECOND = [
  '9002',
  '',
  '15/11/2026 10:00',
  'REMBOURSEMENT',
  '97000002',
  '',
  '2 500',
  '',
  '109 875',
]

const LINES: readonly StatementLine[] = [
  {
    line: 2,
    bookedAt: Date.UTC(2026, 10, 15, 8, 30),
    day: 20_772,
    type: 'collection',
    amountXof: 12_500,
    feeXof: 125,
    taxXof: 0,
    balanceXof: 112_375,
    networkReference: '9001',
    ourReference: 'CMD-1',
    counterparty: '97000001',
    text: 'Paiement · Été à Cotonou',
  },
  {
    line: 3,
    bookedAt: Date.UTC(2026, 10, 15, 9),
    day: 20_772,
    type: 'refund',
    amountXof: -2_500,
    feeXof: 0,
    taxXof: 0,
    balanceXof: 109_875,
    networkReference: '9002',
    ourReference: '',
    counterparty: '97000002',
    text: 'REMBOURSEMENT',
  },
]

const csv = (rows: readonly (readonly string[])[], delimiter = ';', end = '\r\n'): string =>
  rows.map((cells) => cells.join(delimiter) + end).join('')

const TABLE = [HEADINGS, FIRST, SECOND]
const TEXT = csv(TABLE)

async function linesOf(source: StatementSource, mapping = MAPPING): Promise<StatementLine[]> {
  const lines: StatementLine[] = []
  for await (const line of readStatement(source, mapping)) lines.push(line)
  return lines
}

async function faultOf(source: StatementSource, mapping = MAPPING): Promise<StatementFault> {
  try {
    await linesOf(source, mapping)
  } catch (error) {
    assert.ok(error instanceof StatementRefused, String(error))
    return error.fault
  }
  assert.fail('the file was read')
}

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

describe('statement files: encodings', () => {
  const encoded: readonly [about: string, bytes: Buffer][] = [
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16 LE with a byte order mark', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['UTF-16 BE with a byte order mark', utf16be(`\ufeff${TEXT}`)],
    ['UTF-16 LE', Buffer.from(TEXT, 'utf16le')],
    ['UTF-16 BE', utf16be(TEXT)],
    ['Windows-1252', Buffer.from(TEXT, 'latin1')],
  ]
  for (const [about, bytes] of encoded) {
    for (const size of [1, 2, 3, 64, 1_000_000]) {
      it(`statement files: ${about} is read in chunks of ${size}`, async () => {
        assert.deepEqual(await linesOf(inChunks(bytes, size)), LINES)
      })
    }
  }

  it('statement files: Windows-1252 has an apostrophe and a euro sign that Latin-1 has not', async () => {
    const bytes = Buffer.concat([Buffer.from(TEXT.replace('Été à Cotonou', 'Frais d'), 'latin1')])
    const at = bytes.indexOf('Frais d;') + 'Frais d'.length
    const file = Buffer.concat([
      bytes.subarray(0, at),
      Buffer.from([0x92, 0xe9, 0x80]),
      bytes.subarray(at),
    ])
    assert.equal((await linesOf(inChunks(file)))[0]?.text, 'Paiement · Frais d’é€')
  })

  const broken: readonly [about: string, bytes: Buffer][] = [
    [
      'UTF-8 with a byte of Latin-1 after letters of UTF-8',
      Buffer.concat([Buffer.from(TEXT), Buffer.from([0xe9, 0x3b])]),
    ],
    ['UTF-8 that ends within a letter', Buffer.concat([Buffer.from(TEXT), Buffer.from([0xc3])])],
    [
      'UTF-16 with half a character',
      Buffer.concat([Buffer.from(`\ufeff${TEXT}`, 'utf16le'), Buffer.from([0x41])]),
    ],
    ['NUL bytes in UTF-8', Buffer.from(TEXT.replace('Cotonou', 'Coto\0nou'))],
    [
      'a byte that no letter of Windows-1252 has',
      Buffer.from(`${TEXT}caf\u00e9 \u0081;`, 'latin1'),
    ],
  ]
  for (const [about, bytes] of broken) {
    it(`statement files: ${about} is refused`, async () => {
      assert.deepEqual(await faultOf(inChunks(bytes)), { fault: 'encoding_not_known' })
    })
  }
})

describe('statement files: delimiters and line ends', () => {
  for (const delimiter of [';', ',', '\t']) {
    for (const end of ['\r\n', '\n', '\r']) {
      it(`statement files: ${JSON.stringify(delimiter)} and ${JSON.stringify(end)} are found`, async () => {
        assert.deepEqual(await linesOf(inChunks(Buffer.from(csv(TABLE, delimiter, end)))), LINES)
      })
    }
  }

  it('statement files: commas within amounts and texts do not hide the semicolons', async () => {
    const cells = FIRST.with(6, '12.500,00')
      .with(7, '125,00')
      .with(8, '112.375,00')
      .with(5, 'a, b, c, d, e, f, g, h, i, j')
    const lines = await linesOf(inChunks(Buffer.from(csv([HEADINGS, cells, cells, cells]))))
    assert.deepEqual(lines[2]?.amountXof, 12_500)
  })

  it('statement files: a quoted cell holds delimiters, quotes and a line end', async () => {
    const file = csv([HEADINGS, FIRST.with(5, '"Awa ""la grande"";\r\nCotonou"'), SECOND])
    const lines = await linesOf(inChunks(Buffer.from(file)))
    assert.deepEqual(
      lines.map(({ line, text }) => [line, text]),
      [
        [2, 'Paiement · Awa "la grande"; Cotonou'],
        [3, 'REMBOURSEMENT'],
      ],
    )
  })

  it('statement files: ="0123" and an apostrophe before a number force text and are taken off', async () => {
    const file = csv([HEADINGS, FIRST.with(0, '="09001"').with(4, "'+22997000001")])
    const [line] = await linesOf(inChunks(Buffer.from(file)))
    assert.deepEqual([line?.networkReference, line?.counterparty], ['09001', '+22997000001'])
  })
})

describe('statement files: rows that are no lines', () => {
  const titles = ['MTN MoMo', '', 'Relevé du 01/11/2026 au 30/11/2026;;', 'Compte;97000000', '']
  const read: readonly [about: string, file: string, lines: number[]][] = [
    ['titles above the headings', `${titles.join('\r\n')}\r\n${TEXT}`, [7, 8]],
    [
      'headings in other case and spacing',
      TEXT.replace('Identifiant;Référence', ' IDENTIFIANT ;reference '),
      [2, 3],
    ],
    ['empty rows between lines', csv([HEADINGS, [''], FIRST, ['', '', ''], SECOND, ['']]), [3, 5]],
    [
      'an opening balance above the lines',
      csv([HEADINGS, ['Solde', '', '', '', '', '', '100 000'], FIRST]),
      [3],
    ],
    [
      'a total below',
      csv([...TABLE, ['Total', '', '', '', '', '', '10 000', '125', '109 875']]),
      [2, 3],
    ],
    [
      'a total of a day below',
      csv([...TABLE, ['Total au 30/11/2026', '', '', '', '', '', '10 000']]),
      [2, 3],
    ],
    ['a note below', csv([...TABLE, [''], ['Généré le 30/11/2026 par Awa']]), [2, 3]],
    ['a line without its last cells', csv([HEADINGS, FIRST.slice(0, 7)]), [2]],
  ]
  for (const [about, file, lines] of read) {
    it(`statement files: ${about}`, async () => {
      assert.deepEqual(
        (await linesOf(inChunks(Buffer.from(file)))).map(({ line }) => line),
        lines,
      )
    })
  }

  const total = ['Total', '', '', '', '', '', '10 000']
  const refused: readonly [about: string, file: string, fault: StatementFault][] = [
    [
      'a total between lines',
      csv([HEADINGS, FIRST, total, SECOND]),
      fault('row_not_valid', 3, '', 'Total'),
    ],
    [
      'a line without a date',
      csv([HEADINGS, FIRST.with(2, '')]),
      fault('date_not_valid', 2, 'Date', ''),
    ],
    [
      'a line without an amount',
      csv([HEADINGS, FIRST.with(6, '')]),
      fault('amount_not_valid', 2, 'Montant', ''),
    ],
    [
      'a total with a reference',
      csv([HEADINGS, total.with(1, 'CMD-7')]),
      fault('date_not_valid', 2, 'Date', ''),
    ],
    [
      'a date without a line',
      csv([HEADINGS, total.with(2, '15/11/2026').with(6, '')]),
      fault('amount_not_valid', 2, 'Montant', ''),
    ],
  ]
  for (const [about, file, wanted] of refused) {
    it(`statement files: ${about} is refused`, async () => {
      assert.deepEqual(await faultOf(inChunks(Buffer.from(file))), wanted)
    })
  }
})

function fault(
  name: 'amount_not_valid' | 'date_not_valid' | 'row_not_valid',
  line: number,
  column: string,
  value: string,
) {
  return { fault: name, line, column, value } satisfies StatementFault
}

describe('statement files: amounts, statuses and references', () => {
  const { amount: _, ...others } = MAPPING.columns
  const twoColumns: ColumnMapping = {
    ...MAPPING,
    columns: { ...others, credit: 'Crédit', debit: 'Débit' },
    outgoing: [],
  }
  const inTwo = (credit: string, debit: string): Buffer =>
    Buffer.from(
      csv([
        [...HEADINGS, 'Crédit', 'Débit'],
        [...FIRST, credit, debit],
      ]),
    )

  for (const [credit, debit, amountXof] of [
    ['500', '', 500],
    ['500', '0', 500],
    ['', '500', -500],
    ['-', '-500', -500],
    ['0', '0,00', 0],
  ] as const) {
    it(`statement files: credit ${JSON.stringify(credit)} and debit ${JSON.stringify(debit)} are ${amountXof}`, async () => {
      const [line] = await linesOf(inChunks(inTwo(credit, debit)), twoColumns)
      assert.equal(line?.amountXof, amountXof)
    })
  }
  for (const [credit, debit, wanted] of [
    ['500', '500', fault('row_not_valid', 2, 'Débit', '500')],
    ['-500', '', fault('amount_not_valid', 2, 'Crédit', '-500')],
    ['', '', fault('amount_not_valid', 2, 'Crédit', '')],
  ] as const) {
    it(`statement files: credit ${JSON.stringify(credit)} and debit ${JSON.stringify(debit)} are refused`, async () => {
      assert.deepEqual(await faultOf(inChunks(inTwo(credit, debit)), twoColumns), wanted)
    })
  }

  it('statement files: fees with a sign are taken from the wallet as fees without one', async () => {
    const lines = await linesOf(
      inChunks(Buffer.from(csv([HEADINGS, FIRST.with(7, '-125'), SECOND.with(7, '(25)')]))),
    )
    assert.deepEqual(
      lines.map(({ feeXof }) => feeXof),
      [125, 25],
    )
  })

  it('statement files: fees with both signs are refused', async () => {
    const file = csv([HEADINGS, FIRST, SECOND.with(7, '-25')])
    assert.deepEqual(
      await faultOf(inChunks(Buffer.from(file))),
      fault('amount_not_valid', 3, 'Frais', '-25'),
    )
  })

  it('statement files: only lines with a counted status are read, and others need no date', async () => {
    const withStatus: ColumnMapping = {
      ...MAPPING,
      columns: { ...MAPPING.columns, status: 'Statut' },
      statuses: ['Réussi'],
      undecided: ['En attente'],
    }
    const file = csv([
      [...HEADINGS, 'Statut'],
      [...FIRST.with(2, ''), 'En attente'],
      [...SECOND, 'RÉUSSI'],
    ])
    assert.deepEqual(
      (await linesOf(inChunks(Buffer.from(file)), withStatus)).map(({ line }) => line),
      [3],
    )
    const blank = csv([[...HEADINGS, 'Statut'], FIRST])
    assert.deepEqual(
      await faultOf(inChunks(Buffer.from(blank)), withStatus),
      fault('row_not_valid', 2, 'Statut', ''),
    )
  })

  it('statement files: a status of no list refuses the file, with the words and the rows', async () => {
    const columns = { ...MAPPING.columns, status: 'Statut' }
    const file = csv([
      [...HEADINGS, 'Statut'],
      [...FIRST, 'Succès'],
      [...SECOND, 'Réussi'],
      [...SECOND, 'Succès'],
    ])
    assert.deepEqual(await faultOf(inChunks(Buffer.from(file)), { ...MAPPING, columns }), {
      fault: 'statuses_unknown',
      rows: 3,
      words: [
        { word: 'Succès', rows: 2 },
        { word: 'Réussi', rows: 1 },
      ],
    })
  })

  it('statement files: a type of no list refuses the file, with the words and the rows', async () => {
    const ofType = (type: string): string[] => SECOND.with(HEADINGS.indexOf('Type'), type)
    const file = csv([HEADINGS, FIRST, ofType('Encaissement'), ofType('encaissement'), ofType('')])
    assert.deepEqual(await faultOf(inChunks(Buffer.from(file))), {
      fault: 'types_unknown',
      rows: 2,
      words: [
        { word: 'Encaissement', rows: 1 },
        { word: 'encaissement', rows: 1 },
      ],
    })
    const types = { ...MAPPING.types, Encaissement: 'other' } as const
    const read = await linesOf(inChunks(Buffer.from(file)), { ...MAPPING, types })
    assert.deepEqual(
      read.map(({ type }) => type),
      ['collection', 'other', 'other', 'other'],
    )
  })

  const refused: readonly [about: string, cells: string[], wanted: StatementFault][] = [
    [
      'an amount with a fraction',
      FIRST.with(6, '12 500,50'),
      fault('amount_not_valid', 2, 'Montant', '12 500,50'),
    ],
    [
      'a formula as amount',
      FIRST.with(6, '=SUM(A1:A9)'),
      fault('amount_not_valid', 2, 'Montant', '=SUM(A1:A9)'),
    ],
    [
      'a balance that is no amount',
      FIRST.with(8, 'n/a'),
      fault('amount_not_valid', 2, 'Solde', 'n/a'),
    ],
    [
      'a date that does not exist',
      FIRST.with(2, '31/02/2026'),
      fault('date_not_valid', 2, 'Date', '31/02/2026'),
    ],
    [
      'a reference that a spreadsheet has shortened',
      FIRST.with(0, '1.42593E+11'),
      fault('row_not_valid', 2, 'Identifiant', '1.42593E+11'),
    ],
    [
      'a reference of 256 characters',
      FIRST.with(1, 'x'.repeat(256)),
      fault('row_not_valid', 2, 'Référence', 'x'.repeat(40)),
    ],
    ['a control character', FIRST.with(1, 'CMD\u0007'), fault('row_not_valid', 2, 'Référence', '')],
    [
      'a number in the column of amounts',
      FIRST.with(6, '+229 97 00 00 01 x'),
      fault('amount_not_valid', 2, 'Montant', '+*** ** ** ** 01 x'),
    ],
    [
      'an amount of many digits with half a franc',
      FIRST.with(6, '12 500 000,50'),
      fault('amount_not_valid', 2, 'Montant', '12 500 000,50'),
    ],
    [
      'an amount in the column of dates',
      FIRST.with(2, '12500000,50'),
      fault('date_not_valid', 2, 'Date', '******00,50'),
    ],
    [
      'a number in the column of dates',
      FIRST.with(2, 'FRI:2290197000001/MSISDN'),
      fault('date_not_valid', 2, 'Date', 'FRI:***********01/MSISDN'),
    ],
    [
      'a long value',
      FIRST.with(6, `12 500 ${'a'.repeat(60)}`),
      fault('amount_not_valid', 2, 'Montant', `12 500 ${'a'.repeat(33)}`),
    ],
  ]
  for (const [about, cells, wanted] of refused) {
    it(`statement files: ${about} is refused`, async () => {
      assert.deepEqual(await faultOf(inChunks(Buffer.from(csv([HEADINGS, cells])))), wanted)
    })
  }
})

describe('statement files: headings', () => {
  const refused: readonly [about: string, file: string, wanted: StatementFault][] = [
    ['an empty file', '', { fault: 'file_not_readable' }],
    ['a file without headings', csv([FIRST, SECOND]), { fault: 'heading_not_found' }],
    [
      'a file with one heading in a title',
      csv([['Date', '15/11/2026'], FIRST]),
      { fault: 'heading_not_found' },
    ],
    [
      'a file without a mapped column',
      TEXT.replace('Frais', 'Coût'),
      { fault: 'column_missing', column: 'Frais' },
    ],
    ['headings after fifty rows', 'x\r\n'.repeat(51) + TEXT, { fault: 'heading_not_found' }],
    [
      'a mapped heading twice',
      csv([[...HEADINGS, 'MONTANT'], FIRST]),
      fault('row_not_valid', 1, 'Montant', 'Montant'),
    ],
  ]
  for (const [about, file, wanted] of refused) {
    it(`statement files: ${about} is refused`, async () => {
      assert.deepEqual(await faultOf(inChunks(Buffer.from(file))), wanted)
    })
  }

  it('statement files: a heading that no column needs may be repeated', async () => {
    const file = csv([
      [...HEADINGS, 'Devise', 'Devise'],
      [...FIRST, 'XOF', 'XOF'],
    ])
    assert.equal((await linesOf(inChunks(Buffer.from(file)))).length, 1)
  })

  it('statement files: headings after fifty other rows are read', async () => {
    assert.equal((await linesOf(inChunks(Buffer.from('x\r\n'.repeat(50) + TEXT)))).length, 2)
  })
})

describe('statement files: CSV made to break the reader', () => {
  const refused: readonly [about: string, file: string, wanted: StatementFault][] = [
    [
      'three hundred columns',
      csv([HEADINGS, [...FIRST, ...Array<string>(300).fill('x')]]),
      fault('row_not_valid', 2, '', ''),
    ],
    [
      'a cell of 5,000 characters',
      csv([HEADINGS, [...FIRST, 'x'.repeat(5_000)]]),
      fault('row_not_valid', 2, '', 'x'.repeat(40)),
    ],
    [
      'a quote that never closes',
      csv([HEADINGS, FIRST, SECOND.with(5, '"Awa')]),
      fault('row_not_valid', 3, '', ''),
    ],
    ['an old Office file', '\xd0\xcf\x11\xe0', { fault: 'file_not_readable' }],
  ]
  for (const [about, file, wanted] of refused) {
    it(`statement files: ${about} is refused`, async () => {
      const bytes = about.startsWith('an old') ? Buffer.from(file, 'latin1') : Buffer.from(file)
      assert.deepEqual(await faultOf(inChunks(bytes, 4_096)), wanted)
    })
  }

  /** Counts the chunks that the reader takes. */
  async function* endless(
    start: string,
    chunk: Buffer,
    chunks: number,
    taken: { chunks: number },
  ): StatementSource {
    yield Buffer.from(start)
    for (; taken.chunks < chunks; taken.chunks++) yield chunk
  }

  const CHUNK_BYTES = 65_536
  const GIGABYTE_CHUNKS = 1_000_000_000 / CHUNK_BYTES

  for (const [about, start, repeated] of [
    ['a gigabyte in one line', '', 'x'],
    ['a gigabyte in one cell', csv([HEADINGS, FIRST]), 'x'],
    ['a gigabyte in one quoted cell', `${csv([HEADINGS, FIRST])}"`, 'x'],
    ['a gigabyte of line ends in one quoted cell', `${csv([HEADINGS, FIRST])}"`, '\n'],
    ['a gigabyte of empty cells', csv([HEADINGS, FIRST]), ';'],
    ['a gigabyte of empty quoted cells', csv([HEADINGS, FIRST]), '"";'],
  ] as const) {
    it(`statement files: ${about} is refused before a megabyte of it is read`, async () => {
      const taken = { chunks: 0 }
      const { fault } = await faultOf(
        endless(start, Buffer.alloc(CHUNK_BYTES, repeated), GIGABYTE_CHUNKS, taken),
      )
      assert.equal(fault, 'row_not_valid')
      assert.ok(taken.chunks < 16, `${taken.chunks} chunks`)
    })
  }

  it('statement files: a CSV file above its limit is refused', async () => {
    async function* source(): StatementSource {
      yield Buffer.from(TEXT)
      yield Buffer.alloc(LARGEST_CSV_BYTES)
    }
    assert.deepEqual(await faultOf(source()), { fault: 'file_too_large', most: LARGEST_CSV_BYTES })
  })

  it('statement files: a reader that stops early closes the source', async () => {
    let isClosed = false
    async function* source(): StatementSource {
      try {
        yield Buffer.from(TEXT)
        for (;;) yield Buffer.from(csv([SECOND]).repeat(1_000))
      } finally {
        isClosed = true
      }
    }
    for await (const line of readStatement(source(), MAPPING)) {
      if (line.line > 500) break
    }
    // The stream between reader and source closes on its own turn.
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(isClosed)
  })

  it('statement files: a source that fails is no refusal', async () => {
    const failure = new Error('the disk')
    async function* source(): StatementSource {
      yield Buffer.from(TEXT)
      throw failure
    }
    await assert.rejects(linesOf(source()), failure)
  })
})

describe('statement files: XLSX', () => {
  const date = 46_341 + 9.5 / 24
  const first: Cell[] = [
    9001,
    'CMD-1',
    date,
    'Paiement',
    97_000_001,
    'Été à Cotonou',
    12_500,
    125,
    '112 375',
  ]
  const second: Cell[] = [
    '9002',
    '',
    '15/11/2026 10:00',
    'REMBOURSEMENT',
    '97000002',
    '',
    '2 500',
    '',
    109_875,
  ]
  const withAmount = (xml: string): Buffer => workbook([HEADINGS, first.with(6, { xml }), second])

  it('statement files: a workbook gives the lines that the same CSV file gives', async () => {
    assert.deepEqual(await linesOf(inChunks(workbook([HEADINGS, first, second]), 1_000)), LINES)
  })

  it('statement files: lines of a workbook carry the numbers of its rows, and empty rows are passed over', async () => {
    const lines = await linesOf(
      inChunks(workbook([['MTN'], [], [], HEADINGS, [], first, [], second, [], ['Total']])),
    )
    assert.deepEqual(
      lines.map(({ line }) => line),
      [6, 8],
    )
  })

  for (const [xml, amountXof] of [
    ['<c><v>1.25E4</v></c>', 12_500],
    ['<c><v>12500.0</v></c>', 12_500],
    ['<c t="n"><v>1.25E+7</v></c>', 12_500_000],
    ['<c t="str"><v>12 500</v></c>', 12_500],
    ['<c t="inlineStr"><is><r><t>12 </t></r><r><t>500</t></r><rPh><t>9</t></rPh></is></c>', 12_500],
  ] as const) {
    it(`statement files: the cell ${xml} is ${amountXof} francs`, async () => {
      assert.equal((await linesOf(inChunks(withAmount(xml))))[0]?.amountXof, amountXof)
    })
  }

  for (const [about, xml, value] of [
    ['12.5 written as 12.500', '<c><v>12.500</v></c>', '12.5000'],
    ['1500.5', '<c><v>1500.5</v></c>', '1500.5000'],
    ['what floating point made of 12500', '<c><v>12499.999999999998</v></c>', '12499.999999999998'],
    ['a payer’s number in a text', '<c t="str"><v>97.00.00.01 x</v></c>', '**.**.**.01 x'],
    ['a calculated cell', '<c><f>6250*2</f><v>12500</v></c>', '='],
    ['a cell with an error', '<c t="e"><v>#REF!</v></c>', '#REF!'],
  ] as const) {
    it(`statement files: ${about} is no amount`, async () => {
      assert.deepEqual(
        await faultOf(inChunks(withAmount(xml))),
        fault('amount_not_valid', 2, 'Montant', value),
      )
    })
  }

  const sheet = (rows: string): Buffer =>
    workbookOfSheet(`<worksheet><sheetData>${rows}</sheetData></worksheet>`)
  const replaced = (name: string, data: string): Buffer =>
    zipFile(
      workbookParts([HEADINGS, first]).map((part) =>
        part.name === name ? { ...part, data } : part,
      ),
    )
  const unreadable: StatementFault = { fault: 'file_not_readable' }
  const tooLarge: StatementFault = { fault: 'unpacks_too_large', most: LARGEST_UNPACKED_BYTES }

  const refused: readonly [about: string, file: () => Buffer, wanted: StatementFault][] = [
    [
      'a ZIP bomb that says its size',
      () =>
        zipFile([
          ...workbookParts([HEADINGS]),
          { name: 'x', data: '', declaredBytes: 201_000_000 },
        ]),
      tooLarge,
    ],
    [
      'many entries that are too large together',
      () =>
        zipFile(
          Array.from({ length: 11 }, (_, n) => ({
            name: `x${n}`,
            data: '',
            declaredBytes: 20_000_000,
          })),
        ),
      tooLarge,
    ],
    [
      'a sheet that unpacks to more than it says',
      () =>
        zipFile(
          workbookParts([HEADINGS, first]).map((part) =>
            part.name.endsWith('sheet2.xml')
              ? { ...part, data: `${part.data}${' '.repeat(9_000_000)}`, declaredBytes: 1_000 }
              : part,
          ),
        ),
      unreadable,
    ],
    [
      '1,001 entries',
      () => zipFile(Array.from({ length: 1_001 }, (_, n) => ({ name: `x${n}`, data: '' }))),
      unreadable,
    ],
    [
      'two entries of one name',
      () => zipFile([...workbookParts([HEADINGS, first]), ...workbookParts([HEADINGS, second])]),
      unreadable,
    ],
    ['a ZIP file that is no workbook', () => zipFile([{ name: 'a.csv', data: TEXT }]), unreadable],
    ['a ZIP file cut in half', () => workbook([HEADINGS, first]).subarray(0, 900), unreadable],
    [
      'a file above its limit',
      () => Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(LARGEST_XLSX_BYTES)]),
      { fault: 'file_too_large', most: LARGEST_XLSX_BYTES },
    ],
    [
      'a cell in row 999,999,999,999',
      () => sheet('<row r="999999999999"><c r="A999999999999"><v>1</v></c></row>'),
      { fault: 'heading_not_found' },
    ],
    [
      'a row that is no number',
      () => sheet('<row r="1e99"><c r="A1"><v>1</v></c></row>'),
      unreadable,
    ],
    ['rows out of order', () => sheet('<row r="2"/><row r="2"/>'), unreadable],
    [
      'a cell in column XFD',
      () => sheet('<row r="1"><c r="XFD1"><v>1</v></c></row>'),
      fault('row_not_valid', 1, 'XFD1', ''),
    ],
    [
      'a cell in column ZZZZZZZZ',
      () => sheet('<row r="1"><c r="ZZZZZZZZ1"><v>1</v></c></row>'),
      unreadable,
    ],
    [
      'a shared text that is missing',
      () => sheet('<row r="1"><c r="A1" t="s"><v>99</v></c></row>'),
      unreadable,
    ],
    [
      'a cell of 5,000 characters',
      () => workbook([HEADINGS, first.with(5, 'x'.repeat(5_000))]),
      fault('row_not_valid', 2, '', 'x'.repeat(40)),
    ],
    [
      'a tag with 120,000 attributes',
      () => sheet(`<row ${Array.from({ length: 120_000 }, (_, n) => `a${n}=""`).join(' ')}/>`),
      unreadable,
    ],
    ['tags within tags, a hundred thousand deep', () => sheet('<a>'.repeat(100_000)), unreadable],
    ['XML that is not well-formed', () => sheet('<row><c></row>'), unreadable],
    [
      'entities that grow',
      () =>
        workbookOfSheet(
          '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><worksheet><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData></worksheet>',
        ),
      unreadable,
    ],
    [
      'days counted from 1904',
      () =>
        replaced(
          'xl/workbook.xml',
          '<workbook xmlns:r="urn:r"><workbookPr date1904="1"/><sheets><sheet r:id="rId2"/></sheets></workbook>',
        ),
      unreadable,
    ],
    [
      'a workbook without a visible sheet',
      () =>
        replaced(
          'xl/workbook.xml',
          '<workbook xmlns:r="urn:r"><sheets><sheet state="veryHidden" r:id="rId2"/></sheets></workbook>',
        ),
      unreadable,
    ],
  ]
  for (const [about, file, wanted] of refused) {
    it(`statement files: ${about} is refused`, async () => {
      assert.deepEqual(await faultOf(inChunks(file(), 65_536)), wanted)
    })
  }

  it('statement files: a workbook of more rows than the limit is refused', async () => {
    const headings = HEADINGS.map(
      (heading) => `<c t="inlineStr"><is><t>${heading}</t></is></c>`,
    ).join('')
    const line = '<row><c><v>1</v></c></row>'
    const file = sheet(`<row>${headings}</row>${line.repeat(MOST_XLSX_ROWS)}`)
    assert.deepEqual(await faultOf(inChunks(file, 65_536)), {
      fault: 'too_many_rows',
      most: MOST_XLSX_ROWS,
    })
  })
})
