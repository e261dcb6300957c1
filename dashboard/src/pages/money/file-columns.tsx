// What each column of an unknown statement file contains: chosen once, and stored for the
// connection.

import { Button, NativeSelect, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  type ColumnMapping,
  type ColumnsBody,
  MAPPED_TYPES,
  type MappedType,
} from '../../../../server/src/dashboard-api/contract.ts'
import { CLOCKS } from '../../countries.ts'
import { bound, choicesOf, Form, Send } from '../../parts/form.tsx'
import { Card } from '../../parts/page.tsx'
import { useWords } from '../../words/language.tsx'

/** A proposal may have more: they stay as they are. */
type ColumnName = Exclude<keyof ColumnMapping['columns'], 'refundedAt'>

const COLUMNS: readonly ColumnName[] = [
  'bookedAt',
  'time',
  'amount',
  'credit',
  'debit',
  'fee',
  'tax',
  'balance',
  'type',
  'status',
  'ourReference',
  'networkReference',
  'counterparty',
  'text',
  'currency',
]
const DATE_ORDERS = ['day_first', 'month_first', 'year_first'] as const
/** Types whose amounts some sources write without a sign. */
const OUTGOING: readonly MappedType[] = ['refund', 'fee', 'tax', 'settlement', 'withheld']

type TypeWord = [word: string, type: MappedType]

/** The proposed meanings, and the other words of the file, those that refused it first. */
function typesOf(
  proposed: ColumnMapping | null,
  rows: ColumnsBody['rows'],
  headings: readonly string[],
  refused: readonly string[],
): TypeWord[] {
  const known = Object.entries(proposed?.types ?? {})
  const isKnown = new Set(known.map(([word]) => word.toLowerCase()))
  const at = headings.indexOf(proposed?.columns.type ?? '')
  const shown = rows.map((cells) => cells[at]?.trim() ?? '').filter(Boolean)
  const words = [...new Set([...refused, ...shown])]
  const unknown = words.filter((word) => !isKnown.has(word.toLowerCase()))
  return [...unknown.map((word): TypeWord => [word, 'other']), ...known]
}

/** What a state says of its line. Empty until a person chooses: such a file is refused. */
const STATUS_MEANINGS = ['statuses', 'failures', 'undecided', 'refunds'] as const
type StatusMeaning = (typeof STATUS_MEANINGS)[number] | ''

type StatusWords = ReadonlyMap<string, StatusMeaning>

/** The proposed meanings, and the other words of the file. */
function statusesOf(proposed: ColumnMapping | null, others: readonly string[]): StatusWords {
  const known = STATUS_MEANINGS.flatMap((meaning) =>
    (proposed?.[meaning] ?? []).map((word) => [word, meaning] as [string, StatusMeaning]),
  )
  const isKnown = new Set(known.map(([word]) => word.toLowerCase()))
  const unknown = others.filter((word) => !isKnown.has(word.toLowerCase()))
  return new Map([...unknown.map((word) => [word, ''] as [string, StatusMeaning]), ...known])
}

const wordsMeaning = (words: StatusWords, meant: StatusMeaning): string[] =>
  [...words].filter(([, meaning]) => meaning === meant).map(([word]) => word)

export interface UnknownWords {
  statuses: readonly string[]
  types: readonly string[]
}

interface FileColumnsProps extends ColumnsBody {
  /** Why the file was not read by the columns of the connection; undefined where it has none. */
  why: string | undefined
  /** Words that refused the file. */
  refused: UnknownWords
  keep(mapping: ColumnMapping): Promise<void>
}

export function FileColumns({
  headings,
  rows,
  mapping: proposed,
  why,
  refused,
  keep,
}: FileColumnsProps) {
  const { files } = useWords().books
  const [columns, setColumns] = useState<Partial<Record<ColumnName, string>>>(
    proposed?.columns ?? {},
  )
  const [types, setTypes] = useState(() => typesOf(proposed, rows, headings, refused.types))
  const [dateOrder, setDateOrder] = useState<string>(proposed?.dateOrder ?? 'day_first')
  const [clock, setClock] = useState(String(proposed?.utcOffsetMinutes ?? CLOCKS[0]))
  const [isUnsigned, setUnsigned] = useState((proposed?.outgoing.length ?? 0) > 0)
  const [statuses, setStatuses] = useState(() => statusesOf(proposed, refused.statuses))
  const wordsOf = (heading: string | undefined): string[] => {
    const at = headings.indexOf(heading ?? '')
    return rows.map((cells) => cells[at]?.trim() ?? '').filter(Boolean)
  }
  const sampleOf = (heading: string | undefined): string => wordsOf(heading)[0]?.slice(0, 40) ?? ''
  const hasType = columns.type !== undefined
  const mapping = (): ColumnMapping => ({
    ...(proposed ?? {}),
    columns: { ...columns, bookedAt: columns.bookedAt ?? '' },
    types: Object.fromEntries(
      hasType ? types : [['', types.find(([word]) => word === '')?.[1] ?? 'collection']],
    ),
    outgoing: isUnsigned ? OUTGOING : [],
    statuses: wordsMeaning(statuses, 'statuses'),
    failures: wordsMeaning(statuses, 'failures'),
    undecided: wordsMeaning(statuses, 'undecided'),
    refunds: wordsMeaning(statuses, 'refunds'),
    dateOrder: DATE_ORDERS.find((each) => each === dateOrder) ?? 'day_first',
    utcOffsetMinutes: Number(clock),
  })
  const choices = [
    { value: '', label: files.absent },
    ...headings.filter(Boolean).map((value) => ({ value, label: value })),
  ]
  const isReady =
    columns.bookedAt !== undefined &&
    (columns.amount ?? columns.credit ?? columns.debit) !== undefined
  return (
    <Card title={files.columns}>
      {why === undefined ? (
        <p className="soft lead">{files.columnsLead}</p>
      ) : (
        <p className="note">{why}</p>
      )}
      <Form onSend={() => keep(mapping())}>
        <div className="filter-fields columns wide">
          {COLUMNS.map((name) => (
            <NativeSelect
              key={name}
              label={files.fields[name]}
              required={name === 'bookedAt'}
              data={choices}
              description={sampleOf(columns[name]) && files.sample(sampleOf(columns[name]))}
              {...bound(columns[name] ?? '', (value) =>
                setColumns(
                  Object.fromEntries(
                    Object.entries({ ...columns, [name]: value }).filter(([, each]) => each),
                  ),
                ),
              )}
            />
          ))}
          <NativeSelect
            label={files.dateOrder}
            data={choicesOf(files.dateOrders, DATE_ORDERS)}
            {...bound(dateOrder, setDateOrder)}
          />
          <NativeSelect
            label={files.clock}
            data={choicesOf(files.clocks, CLOCKS.map(String))}
            {...bound(clock, setClock)}
          />
        </div>
        <Switch
          label={files.outgoing}
          checked={isUnsigned}
          onChange={({ currentTarget }) => setUnsigned(currentTarget.checked)}
        />
        {columns.status !== undefined && (
          <StatusMeanings
            words={
              new Map([...wordsOf(columns.status).map((word) => [word, ''] as const), ...statuses])
            }
            change={setStatuses}
          />
        )}
        <TypeWords types={types} hasType={hasType} change={setTypes} />
        <Send disabled={!isReady}>{files.keep}</Send>
      </Form>
    </Card>
  )
}

/** The words for states in the file, and what each says of its line. */
function StatusMeanings({
  words,
  change,
}: {
  words: StatusWords
  change(words: StatusWords): void
}) {
  const { files } = useWords().books
  const meanings = [
    { value: '', label: files.notChosen },
    ...choicesOf(files.statusMeanings, STATUS_MEANINGS),
  ]
  return (
    <fieldset className="choices">
      <legend>{files.statusesTitle}</legend>
      <p className="soft">{files.statusesHelp}</p>
      <div className="filter-fields columns wide">
        {[...words].map(([word, meaning]) => (
          <NativeSelect
            key={word}
            label={word}
            data={meanings}
            {...bound(meaning, (value) =>
              change(new Map([...words, [word, value as StatusMeaning]])),
            )}
          />
        ))}
      </div>
    </fieldset>
  )
}

interface TypeWordsProps {
  types: TypeWord[]
  hasType: boolean
  change(types: TypeWord[]): void
}

/**
 * The source's own words and what they mean; without a column of types, one meaning for every line.
 */
function TypeWords({ types, hasType, change }: TypeWordsProps) {
  const { files, differences } = useWords().books
  const meanings = choicesOf(differences.types, MAPPED_TYPES)
  if (!hasType) {
    const meaning = types.find(([word]) => word === '')?.[1] ?? 'collection'
    return (
      <NativeSelect
        label={files.noType}
        data={meanings}
        {...bound(meaning, (value) => change([['', value]]))}
      />
    )
  }
  const set = (at: number, pair: [string, MappedType]): void =>
    change(types.map((each, nth) => (nth === at ? pair : each)))
  return (
    <fieldset className="choices">
      <legend>{files.typesTitle}</legend>
      {types.map(([word, type], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a word changes while it is typed
        <div key={at} className="type-words">
          <TextInput
            label={files.word}
            maxLength={200}
            {...bound(word, (value) => set(at, [value, type]))}
          />
          <NativeSelect
            label={files.meaning}
            data={meanings}
            {...bound(type, (value) => set(at, [word, value]))}
          />
        </div>
      ))}
      <Button
        variant="default"
        className="send"
        onClick={() => change([...types, ['', 'collection']])}
      >
        {files.addType}
      </Button>
    </fieldset>
  )
}
