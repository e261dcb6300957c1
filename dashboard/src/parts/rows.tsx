// The one table component. On a phone it leaves out columns, or shows their cells under the first
// one.
import { ActionIcon, Button, Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../words/language.tsx'
import { MoreIcon } from './icons.tsx'
import { Card, Failed, Waiting } from './page.tsx'

export interface Column<Row> {
  heading: ReactNode
  cell(row: Row): ReactNode
  /** Left out on screens narrower than this. */
  from?: 'sm' | 'md'
  /** On a phone the cell is under the first column instead. */
  isBelow?: boolean
  at?: 'end'
  isTight?: boolean
}

/** The content of a cell with a smaller second line, if there is one. */
export const TwoLines = ({
  children,
  sub,
  is = '',
}: {
  children: ReactNode
  sub: ReactNode
  is?: string
}) => (
  <>
    {children}
    {sub && <span className={`sub ${is}`}>{sub}</span>}
  </>
)

interface RowsProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string | number
  /** The first cell holds a link with the class `opener`, which covers the row. */
  opens?: boolean
}

export function Rows<Row>({ label, columns, rows, keyOf, opens }: RowsProps<Row>) {
  const classOf = ({ from, isBelow, at, isTight }: Column<Row>): string =>
    [isBelow ? 'from-sm' : from && `from-${from}`, at, isTight && 'tight'].filter(Boolean).join(' ')
  const below = columns.filter(({ isBelow }) => isBelow)
  return (
    <table className="rows" aria-label={label}>
      <thead>
        <tr>
          {columns.map((column, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
            <th key={at} scope="col" className={classOf(column)}>
              {column.heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} className={opens ? 'opens' : ''}>
            {columns.map((column, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
              <td key={at} className={classOf(column)}>
                {column.cell(row)}
                {at === 0 &&
                  below.map((each, number) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
                    <div key={number} className="until-sm below">
                      {each.cell(row)}
                    </div>
                  ))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export interface Pages<Row> {
  rows: readonly Row[] | undefined
  error: unknown
  refetch(): unknown
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage(): unknown
}

export function PagedRows<Row>({
  pages,
  empty,
  ...table
}: Omit<RowsProps<Row>, 'rows'> & { pages: Pages<Row>; empty?: ReactNode }) {
  const { shell } = useWords()
  const { rows, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  return (
    <Card flush>
      {rows === undefined &&
        (error ? <Failed error={error} retry={() => void refetch()} /> : <Waiting lines={8} />)}
      {rows?.length === 0 && !hasNextPage && empty}
      {rows !== undefined && rows.length > 0 && <Rows {...table} rows={rows} />}
      {hasNextPage && (
        <div className="more">
          <Button
            variant="default"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {shell.more}
          </Button>
        </div>
      )}
    </Card>
  )
}

/**
 * The last column: a menu of the actions on a row. Without `menu`, for people who may only look,
 * there is none.
 */
export function menuColumn<Row>(
  heading: string,
  nameOf: (row: Row) => string,
  menu: ((row: Row) => ReactNode) | undefined,
): Column<Row>[] {
  if (menu === undefined) return []
  const cell = (row: Row) => (
    // In the table it would be cut off; outside the page's content, screen readers list it as part
    // of nothing.
    <Menu position="bottom-end" portalProps={{ target: 'main' }}>
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={40}
          radius="md"
          aria-label={`${heading}, ${nameOf(row)}`}
        >
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{menu(row)}</Menu.Dropdown>
    </Menu>
  )
  return [{ heading: <span className="hidden">{heading}</span>, at: 'end', cell }]
}
