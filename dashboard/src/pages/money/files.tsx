// Networks' statements: those that the service fetches by itself; files, with a dry run before the
// import and the columns of an unknown one; and the imported files so far.
import { Button, FileButton, NativeSelect } from '@mantine/core'
import { useEffect, useState } from 'react'
import type {
  ColumnMapping,
  ColumnsBody,
  ImportBody,
  ImportEvent,
  StatementFileRow,
  StatementSourceRow,
} from '../../../../server/src/dashboard-api/contract.ts'
import { useChange, usePages, useRead } from '../../api/account.ts'
import type { BooksBase } from '../../api/address.ts'
import { ApiError, ask, fileAt, saveFile, sendFile } from '../../api/client.ts'
import { may, usePlace, useServiceRight } from '../../api/session.ts'
import { dotted, formatCount, formatDay, formatPercent, noonOf } from '../../format.ts'
import { ActButton, bound, Confirm, RowButton } from '../../parts/form.tsx'
import { InboxIcon, MoneyIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Card, Empty, PageTitle, Read } from '../../parts/page.tsx'
import { type Column, PagedRows, TwoLines } from '../../parts/rows.tsx'
import { Detail, Details, State, useConnectionName, When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'
import { FileColumns, type UnknownWords } from './file-columns.tsx'
import { askLong } from './long-work.ts'

export function AccountFiles() {
  const { base, role } = usePlace()
  const mayImport = may(role, 'manageStatements')
  const mayTakeBack = may(role, 'closeDifferences')
  return mayImport || mayTakeBack ? (
    <Files base={base} mayImport={mayImport} mayTakeBack={mayTakeBack} />
  ) : (
    <NoSource />
  )
}

export function ConsoleFiles() {
  const { shell } = useWords()
  const mayImport = useServiceRight('manageStatements')
  return (
    <>
      <PageTitle title={shell.console.files} />
      <Files base="console" mayImport={mayImport} mayTakeBack={mayImport} />
    </>
  )
}

interface Rights {
  mayImport: boolean
  mayTakeBack: boolean
}

function Files({ base, ...rights }: { base: BooksBase } & Rights) {
  const reading = useRead(base, 'GET /books/sources')
  return (
    <Read reading={reading}>
      {({ rows }) =>
        rows.length === 0 ? <NoSource /> : <ImportAndList base={base} sources={rows} {...rights} />
      }
    </Read>
  )
}

type SourcesProps = { base: BooksBase; sources: readonly StatementSourceRow[] }

function ImportAndList({ base, sources, mayImport, mayTakeBack }: SourcesProps & Rights) {
  const [chosen, choose] = useState('')
  const source =
    sources.find((each) => nameOfSource(each) === chosen) ?? (sources[0] as StatementSourceRow)
  return (
    <div className="grid">
      <Fetches base={base} sources={sources} mayFetch={mayImport} />
      <Upload base={base} sources={sources} source={source} choose={choose} mayImport={mayImport} />
      <FileList base={base} source={source} mayTakeBack={mayTakeBack} />
    </div>
  )
}

function NoSource() {
  const { files } = useWords().books
  return (
    <Card>
      <Empty icon={<MoneyIcon size={40} />} title={files.noSource} help={files.noSourceHelp} />
    </Card>
  )
}

type Offering = StatementSourceRow & { fetches: NonNullable<StatementSourceRow['fetches']> }
const isOffering = (source: StatementSourceRow): source is Offering => source.fetches !== null

const LOOKED_AT_EVERY_MS = 2_000

/** The connections whose networks give statements by their API. */
function Fetches({ base, sources, mayFetch }: SourcesProps & { mayFetch: boolean }) {
  const { files } = useWords().books
  const offering = sources.filter(isOffering)
  const isUnderWay = offering.some(({ fetches }) => fetches.isUnderWay)
  const change = useChange(base)
  useEffect(() => {
    if (!isUnderWay) return
    const timer = setInterval(
      () => void change(Promise.resolve(), 'books', 'money'),
      LOOKED_AT_EVERY_MS,
    )
    return () => clearInterval(timer)
  }, [isUnderWay, change])
  if (offering.length === 0) return null
  return (
    <Card title={files.fetched}>
      <p className="soft lead">{files.fetchedLead}</p>
      <ul className="plain-list wraps">
        {offering.map((source) => (
          <FetchedSource
            key={nameOfSource(source)}
            base={base}
            source={source}
            mayFetch={mayFetch}
          />
        ))}
      </ul>
    </Card>
  )
}

function FetchedSource({
  base,
  source,
  mayFetch,
}: {
  base: BooksBase
  source: Offering
  mayFetch: boolean
}) {
  const words = useWords()
  const { files } = words.books
  const { environment, connection } = source
  const { fetchedAt, isUnderWay, failure } = source.fetches
  const name = useConnectionName()(source)
  const change = useChange(base)
  const fetched = fetchedAt === null ? files.neverFetched : files.lastFetch
  return (
    <li>
      <div>
        <b>{name}</b> <span className="soft">·&nbsp;{words.shell[environment]}</span>
        <span className="sub" role="status">
          {isUnderWay ? files.fetching : fetched}{' '}
          {!isUnderWay && fetchedAt !== null && <When at={fetchedAt} />}
        </span>
        {failure !== null && (
          <span className="sub warn">
            {files.notFetched(formatDay(noonOf(failure.day)))} {failure.sentence}
          </span>
        )}
      </div>
      {mayFetch && (
        <ActButton
          variant="default"
          disabled={isUnderWay}
          aria-label={`${files.fetchNow}, ${name}, ${words.shell[environment]}`}
          action={() =>
            change(ask(base, 'POST /books/sources/fetch', { environment, connection }), 'books')
          }
        >
          {files.fetchNow}
        </ActButton>
      )}
    </li>
  )
}

const FILE_TYPES =
  '.csv,.txt,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const nameOfSource = ({ environment, connection }: StatementSourceRow): string =>
  `${environment}/${connection}`

interface UploadedFile {
  uploadId: string
  file: File
}

/**
 * In parts, so that a slow line does not need one long request; `sent` gets the share that was
 * sent.
 */
async function uploadFile(
  base: BooksBase,
  source: StatementSourceRow,
  file: File,
  sent: (share: number) => void,
): Promise<UploadedFile> {
  const { environment, connection } = source
  const begun = await ask(base, 'POST /books/uploads', {
    environment,
    connection,
    name: file.name,
  })
  const { uploadId, partBytes } = begun
  const parts = Math.max(1, Math.ceil(file.size / partBytes))
  for (let part = 0; part < parts; part++) {
    const piece = file.slice(part * partBytes, (part + 1) * partBytes)
    await sendFile(base, 'PUT /books/uploads/:uploadId/parts/:part', piece, { uploadId, part })
    sent((part + 1) / parts)
  }
  await ask(base, 'POST /books/uploads/:uploadId/finish', { uploadId, parts })
  return { uploadId, file }
}

type Result =
  | { is: 'read'; isDry: boolean; counts: ImportBody }
  | {
      is: 'columns'
      columns: ColumnsBody
      why: string | undefined
      refused: UnknownWords
    }
  | { is: 'order'; why: string | undefined; days: Record<DateOrder, string> }

/** Of days and months. */
type DateOrder = 'day_first' | 'month_first'

/** Of a file that a person can have read by other columns. */
function isAboutColumns(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  return error.body.code === 'statement_columns_unknown' || error.body.columns !== undefined
}

/** Uploads a file once, tries it, keeps its columns, imports it. */
function useUpload(base: BooksBase, source: StatementSourceRow, file: File | null) {
  const { files } = useWords().books
  const { say } = useMessages()
  const change = useChange(base)
  const [uploaded, setUploaded] = useState<UploadedFile>()
  const [result, setResult] = useState<Result>()
  const [progress, setProgress] = useState('')
  const [dateOrder, setDateOrder] = useState<DateOrder>()
  const begin = (): void => {
    setUploaded(undefined)
    setResult(undefined)
    setDateOrder(undefined)
  }
  const show = (event: ImportEvent): void => {
    if ('read' in event) setProgress(files.reading(formatCount(event.read)))
    if ('imported' in event) setProgress(files.writing(formatCount(event.imported)))
  }
  const sent = async (): Promise<string> => {
    if (uploaded?.file === file && uploaded !== undefined) return uploaded.uploadId
    const next = await uploadFile(base, source, file as File, (share) =>
      setProgress(files.sending(formatPercent(share))),
    )
    setUploaded(next)
    return next.uploadId
  }
  const run = async (isDry: boolean, order = dateOrder): Promise<void> => {
    try {
      const uploadId = await sent()
      try {
        const importing = askLong(base, 'POST /books/uploads/:uploadId/import', show, {
          uploadId,
          dryRun: isDry,
          dateOrder: order,
        })
        const counts = await (isDry ? importing : change(importing, 'books', 'money', 'statement'))
        setResult({ is: 'read', isDry, counts })
        if (!isDry) say(counts.isRepeated ? files.repeated : files.imported)
      } catch (error) {
        const days = error instanceof ApiError ? error.body.dateOrders : undefined
        if (days !== undefined) {
          setResult({ is: 'order', why: (error as ApiError).body.message, days })
          return
        }
        if (!isAboutColumns(error)) throw error
        const { columns: settled, message } = error.body
        const columns = await ask(base, 'GET /books/uploads/:uploadId/columns', { uploadId })
        const why = settled === undefined ? undefined : message
        const refused = settled ?? { statuses: [], types: [] }
        setResult({
          is: 'columns',
          columns,
          why,
          refused,
        })
      }
    } finally {
      setProgress('')
    }
  }
  const keep = async (mapping: ColumnMapping): Promise<void> => {
    await ask(base, 'PUT /books/uploads/:uploadId/columns', { uploadId: await sent(), mapping })
    say(files.kept)
    await run(true)
  }
  const sayOrder = async (order: DateOrder): Promise<void> => {
    setDateOrder(order)
    await run(true, order)
  }
  return { result, progress, begin, run, keep, sayOrder }
}

type UploadProps = SourcesProps & {
  source: StatementSourceRow
  choose(name: string): void
  mayImport: boolean
}

function Upload({ base, sources, source, choose, mayImport }: UploadProps) {
  const { shell, books } = useWords()
  const { files } = books
  const nameOf = useConnectionName()
  const [file, setFile] = useState<File | null>(null)
  const chosen = nameOfSource(source)
  const { result, progress, begin, run, keep, sayOrder } = useUpload(base, source, file)
  const environments = new Set(sources.map(({ environment }) => environment))
  const canImport = result?.is === 'read' && result.isDry && !result.counts.isRepeated
  return (
    <>
      <Card className="two-thirds">
        {mayImport && <p className="soft lead">{files.lead}</p>}
        <div className="stack">
          <NativeSelect
            label={books.connection}
            data={sources.map((each) => ({
              value: nameOfSource(each),
              label: dotted(nameOf(each), environments.size > 1 && shell[each.environment]),
            }))}
            {...bound(chosen, (value) => {
              choose(value)
              begin()
            })}
          />
          {mayImport && (
            <>
              <div className="state-line first">
                <FileButton
                  accept={FILE_TYPES}
                  onChange={(next) => {
                    setFile(next)
                    begin()
                  }}
                >
                  {(props) => (
                    <Button {...props} variant="default">
                      {files.choose}
                    </Button>
                  )}
                </FileButton>
                <span className={file === null ? 'soft' : 'breaks'} aria-live="polite">
                  {file?.name ?? files.none}
                </span>
              </div>
              <div className="buttons">
                <ActButton
                  key={`${chosen} ${file?.name}`}
                  variant={canImport ? 'default' : 'filled'}
                  disabled={file === null}
                  action={() => run(true)}
                >
                  {files.check}
                </ActButton>
                {canImport && <ActButton action={() => run(false)}>{files.import}</ActButton>}
              </div>
              <p className="soft" role="status">
                {progress}
              </p>
            </>
          )}
        </div>
      </Card>
      {result?.is === 'read' && <Counts result={result.counts} isDry={result.isDry} />}
      {result?.is === 'order' && (
        <Card className="third">
          <p role="alert">{result.why}</p>
          <div className="buttons">
            {ORDERS.map((order) => (
              <ActButton key={order} variant="default" action={() => sayOrder(order)}>
                {files.orders[order](formatDay(noonOf(result.days[order])))}
              </ActButton>
            ))}
          </div>
        </Card>
      )}
      {result?.is === 'columns' && (
        <FileColumns
          key={result.why}
          {...result.columns}
          why={result.why}
          refused={result.refused}
          keep={keep}
        />
      )}
    </>
  )
}

const ORDERS = ['day_first', 'month_first'] as const

function Counts({ result, isDry }: { result: ImportBody; isDry: boolean }) {
  const { files, differences } = useWords().books
  const { lines, added, matched, missing, isRepeated } = result
  const kinds = Object.entries(result.differences)
  const done = isDry ? files.checked : files.imported
  return (
    <Card className="third">
      <div role="status">
        <p className="note calm">{isRepeated ? files.repeated : done}</p>
        {!isRepeated && (
          <Details>
            <Detail name={files.lines}>{formatCount(lines)}</Detail>
            <Detail name={files.added}>{formatCount(added)}</Detail>
            <Detail name={files.matched}>{formatCount(matched)}</Detail>
            {kinds.map(([kind, count]) => (
              <Detail key={kind} name={differences.kinds[kind] ?? kind}>
                {formatCount(count)}
              </Detail>
            ))}
            {missing > 0 && <Detail name={files.missing}>{formatCount(missing)}</Detail>}
          </Details>
        )}
      </div>
    </Card>
  )
}

interface FileListProps {
  base: BooksBase
  source: StatementSourceRow
  mayTakeBack: boolean
}

/** Staff see every file; a merchant sees those of the chosen connection. */
function FileList({ base, source, mayTakeBack }: FileListProps) {
  const { files } = useWords().books
  const { environment, connection } = source
  const pages = usePages(
    base,
    'GET /books/files',
    base === 'console' ? {} : { environment, connection },
  )
  const [chosen, choose] = useState<StatementFileRow>()
  const columns = [...useColumns(base), ...(mayTakeBack ? [takeBackColumn(files, choose)] : [])]
  return (
    <div>
      <h2 className="part-title">{files.list}</h2>
      <PagedRows
        label={files.list}
        pages={pages}
        columns={columns}
        keyOf={({ fileId }) => fileId}
        empty={<Empty icon={<InboxIcon size={40} />} title={files.empty} help={files.emptyHelp} />}
      />
      {chosen !== undefined && (
        <TakeBack base={base} file={chosen} close={() => choose(undefined)} />
      )}
    </div>
  )
}

type FileWords = ReturnType<typeof useWords>['books']['files']

const takeBackColumn = (
  files: FileWords,
  choose: (file: StatementFileRow) => void,
): Column<StatementFileRow> => ({
  heading: <span className="hidden">{files.takeBack}</span>,
  isBelow: true,
  cell: (file) =>
    file.state !== 'taken_back' && (
      <RowButton
        name={files.takeBack}
        label={`${files.takeBack}, ${file.name}`}
        onClick={() => choose(file)}
      />
    ),
})

function TakeBack({
  base,
  file,
  close,
}: {
  base: BooksBase
  file: StatementFileRow
  close(): void
}) {
  const { files } = useWords().books
  const { say } = useMessages()
  const change = useChange(base)
  const [progress, setProgress] = useState('')
  const show = (event: ImportEvent): void => {
    if ('takenBack' in event) setProgress(files.takingBack(formatCount(event.takenBack)))
  }
  const takeBack = async (note: string): Promise<void> => {
    const { fileId } = file
    const taking = askLong(base, 'POST /books/files/:fileId/take-back', show, { fileId, note })
    const { again } = await change(taking, 'books', 'money', 'statement')
    const names = again.map(({ name }) => name)
    say(names.length === 0 ? files.takenBack : files.takenBackAgain(names.join(', ')))
  }
  return (
    <Confirm
      isOpen
      close={close}
      title={files.takeBackTitle(file.name)}
      lead={files.takeBackLead(formatCount(file.added))}
      act={files.takeBack}
      isDangerous
      reason={{ label: files.takeBackNote }}
      onAct={takeBack}
    >
      <p className="soft" role="status">
        {progress}
      </p>
    </Confirm>
  )
}

const TONES = {
  imported: 'good',
  importing: 'wait',
  taking_back: 'wait',
  taken_back: 'bad',
} as const

function useColumns(base: BooksBase): Column<StatementFileRow>[] {
  const words = useWords()
  const { common, shell } = words
  const { files, statement } = words.books
  const nameOf = useConnectionName()
  const day = (named: string): string => formatDay(noonOf(named))
  return [
    {
      heading: files.name,
      cell: ({ name, environment, state, takenBackBy, ...named }) => (
        <>
          <b className="breaks">{name}</b>
          <span className="sub">{dotted(nameOf(named), shell[environment])}</span>
          {state === 'importing' && <span className="sub warn">{files.again}</span>}
          {state === 'taking_back' && <span className="sub warn">{files.takeBackAgain}</span>}
          {takenBackBy !== null && <span className="sub">{files.takenBackBy(takenBackBy)}</span>}
        </>
      ),
    },
    {
      heading: files.period,
      isBelow: true,
      isTight: true,
      cell: ({ firstDay, lastDay, lines, added }) => (
        <>
          {firstDay === lastDay ? day(firstDay) : `${day(firstDay)} – ${day(lastDay)}`}
          <span className="sub">{files.linesOf(formatCount(added), formatCount(lines))}</span>
        </>
      ),
    },
    {
      heading: common.state,
      from: 'sm',
      cell: ({ state }) => <State tone={TONES[state]}>{files.states[state]}</State>,
    },
    {
      heading: <span className="hidden">{files.download}</span>,
      isBelow: true,
      cell: ({ fileId, name, isKept }) =>
        isKept && (
          <ActButton
            variant="default"
            aria-label={`${files.download}, ${name}`}
            action={() => saveFile(fileAt(base, 'GET /books/files/:fileId/content', { fileId }))}
          >
            {statement.download}
          </ActButton>
        ),
    },
    {
      heading: files.by,
      isBelow: true,
      at: 'end',
      isTight: true,
      cell: ({ importedAt, importedBy }) => (
        <TwoLines sub={importedBy}>
          <span className="until-sm">{files.by} ·&nbsp;</span>
          <When at={importedAt} />
        </TwoLines>
      ),
    },
  ]
}
