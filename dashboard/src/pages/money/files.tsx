// Files of networks' statements: a dry run first, then the import; the columns of an unknown file; the files so far.
import { Button, FileButton, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import type {
  ColumnsBody,
  ImportBody,
  PageOf,
  StatementFileRow,
  StatementSourceRow,
} from '../../../../server/src/dashboard-api/shapes.ts'
import type { ColumnMapping } from '../../../../server/src/domain/statement.ts'
import { useChange, usePages, useRead } from '../../api/account.ts'
import { query, sendFile } from '../../api/client.ts'
import { may, usePlace } from '../../api/session.ts'
import * as format from '../../format.ts'
import { useConnectionName } from '../../parts/connections.ts'
import { ActButton, bound } from '../../parts/form.tsx'
import { InboxIcon, MoneyIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Card, Empty, PageTitle, Read } from '../../parts/page.tsx'
import { type Column, PagedRows, TwoLines } from '../../parts/rows.tsx'
import { Detail, Details, State, When } from '../../parts/values.tsx'
import { useSpoken, useWords } from '../../words/language.tsx'
import { FileColumns } from './file-columns.tsx'

export function AccountFiles() {
  const { base, role } = usePlace()
  return may(role, 'keepBooks') ? <Files base={base} /> : <NoSource />
}

export function ConsoleFiles() {
  const { shell } = useWords()
  return (
    <>
      <PageTitle title={shell.console.files} />
      <Files base="console" />
    </>
  )
}

function Files({ base }: { base: string }) {
  const reading = useRead<PageOf<StatementSourceRow>>(base, 'statement-sources')
  return (
    <Read reading={reading}>
      {({ rows }) =>
        rows.length === 0 ? (
          <NoSource />
        ) : (
          <div className="grid">
            <Upload base={base} sources={rows} />
            <FileList base={base} />
          </div>
        )
      }
    </Read>
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

const FILE_TYPES = '.csv,.txt,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const nameOfSource = ({ environment, connection }: StatementSourceRow): string => `${environment}/${connection}`

function Upload({ base, sources }: { base: string; sources: readonly StatementSourceRow[] }) {
  const { shell, books } = useWords()
  const { files } = books
  const { say } = useMessages()
  const nameOf = useConnectionName()
  const change = useChange(base)
  const [chosen, setChosen] = useState(nameOfSource(sources[0] as StatementSourceRow))
  const [file, setFile] = useState<File | null>(null)
  const [result, setResult] = useState<ImportBody & { isDry: boolean }>()
  const source = sources.find((each) => nameOfSource(each) === chosen)
  const environments = new Set(sources.map(({ environment }) => environment))
  const begin = (next: File | null): void => {
    setFile(next)
    setResult(undefined)
  }
  const send = <Answer,>(path: string, more: Record<string, string>): Promise<Answer> =>
    sendFile('POST', `${base}/${path}${query({ ...source, name: file?.name, ...more })}`, file as File)
  const run = async (isDry: boolean): Promise<void> => {
    const sent = send<ImportBody>('statement-files', { dryRun: String(isDry) })
    const answer = await (isDry ? sent : change(sent, 'statement-files', 'differences', 'money', 'statement'))
    setResult({ ...answer, isDry })
    if (!isDry && answer.is === 'read') say(answer.isRepeated ? files.repeated : files.imported)
  }
  const keep = async (mapping: ColumnMapping): Promise<void> => {
    await send<ColumnsBody>('statement-columns', { dryRun: 'false', mapping: JSON.stringify(mapping) })
    say(files.kept)
    await run(true)
  }
  const canImport = result?.is === 'read' && result.isDry && !result.isRepeated
  return (
    <>
      <Card className="two-thirds">
        <p className="soft lead">{files.lead}</p>
        <div className="stack">
          <NativeSelect
            label={files.source}
            data={sources.map((each) => ({
              value: nameOfSource(each),
              label: `${nameOf(each.connection)}${environments.size > 1 ? ` · ${shell[each.environment]}` : ''}`,
            }))}
            {...bound(chosen, (value) => {
              setChosen(value)
              setResult(undefined)
            })}
          />
          <div className="state-line first">
            <FileButton accept={FILE_TYPES} onChange={begin}>
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
        </div>
      </Card>
      {result?.is === 'read' && <Counts result={result} />}
      {result?.is === 'columns_needed' && (
        <FileColumns headings={result.headings} proposed={result.mapping} keep={keep} />
      )}
    </>
  )
}

function Counts({ result }: { result: Extract<ImportBody, { is: 'read' }> & { isDry: boolean } }) {
  const { files, differences } = useWords().books
  const { lines, added, matched, missing, isRepeated, isDry } = result
  const kinds = Object.entries(result.differences)
  return (
    <Card className="third">
      <div role="status">
        <p className="note calm">{isRepeated ? files.repeated : isDry ? files.checked : files.imported}</p>
        {!isRepeated && (
          <Details>
            <Detail name={files.lines}>{format.count(lines)}</Detail>
            <Detail name={files.added}>{format.count(added)}</Detail>
            <Detail name={files.matched}>{format.count(matched)}</Detail>
            {kinds.map(([kind, count]) => (
              <Detail key={kind} name={differences.kinds[kind] ?? kind}>
                {format.count(count)}
              </Detail>
            ))}
            {missing > 0 && <Detail name={files.missing}>{format.count(missing)}</Detail>}
          </Details>
        )}
      </div>
    </Card>
  )
}

function FileList({ base }: { base: string }) {
  const { files } = useWords().books
  const pages = usePages<StatementFileRow>(base, 'statement-files')
  return (
    <div>
      <h2 className="part-title">{files.list}</h2>
      <PagedRows
        label={files.list}
        pages={pages}
        columns={useColumns()}
        keyOf={({ fileId }) => fileId}
        empty={<Empty icon={<InboxIcon size={40} />} title={files.empty} help={files.emptyHelp} />}
      />
    </div>
  )
}

function useColumns(): Column<StatementFileRow>[] {
  const { language, words } = useSpoken()
  const { common, shell } = words
  const { files } = words.books
  const nameOf = useConnectionName()
  const day = (named: string): string => format.day(format.noonOf(named), language)
  return [
    {
      heading: files.name,
      cell: ({ name, connection, environment, state }) => (
        <>
          <b className="breaks">{name}</b>
          <span className="sub">
            {nameOf(connection)} · {shell[environment]}
          </span>
          {state === 'importing' && <span className="sub warn">{files.again}</span>}
        </>
      ),
    },
    {
      heading: files.period,
      isBelow: true,
      isTight: true,
      cell: ({ from, to, lines, added }) => (
        <>
          {from === to ? day(from) : `${day(from)} – ${day(to)}`}
          <span className="sub">{files.linesOf(format.count(added), format.count(lines))}</span>
        </>
      ),
    },
    {
      heading: common.state,
      from: 'sm',
      cell: ({ state }) => <State tone={state === 'imported' ? 'good' : 'wait'}>{files.states[state]}</State>,
    },
    {
      heading: files.by,
      isBelow: true,
      at: 'end',
      isTight: true,
      cell: ({ importedAt, importedBy }) => (
        <TwoLines sub={importedBy}>
          <span className="until-sm">{files.by} : </span>
          <When at={importedAt} />
        </TwoLines>
      ),
    },
  ]
}
