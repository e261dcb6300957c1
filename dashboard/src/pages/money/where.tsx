// "Where is my money": the amount in each place, in all and by connection, and the entries behind
// each amount.
import { Anchor, Button } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import {
  MONEY_PLACES,
  type MoneyBody,
  type MoneyEntryRow,
  type MoneyPlace,
} from '../../../../server/src/dashboard-api/contract.ts'
import { usePages, useRead } from '../../api/account.ts'
import { may, usePlace } from '../../api/session.ts'
import { dotted, formatAmount, formatSignedAmount } from '../../format.ts'
import { MoneyIcon } from '../../parts/icons.tsx'
import { Card, Empty, Read } from '../../parts/page.tsx'
import { type Column, PagedRows, Rows } from '../../parts/rows.tsx'
import { useConnectionName, When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'

/**
 * What the pages of the books keep in their address: a view can be bookmarked and sent to an
 * accountant.
 */
export type MoneyFilters = Partial<
  Record<'place' | 'connection' | 'settlement' | 'month' | 'day' | 'state' | 'order', string>
>

export function Where() {
  const { base } = usePlace()
  const { place, connection } = useSearch({ strict: false })
  const reading = useRead(base, 'GET /money')
  const named = MONEY_PLACES.find((each) => each === place)
  return (
    <Read reading={reading}>
      {(body) =>
        named === undefined ? (
          <Amounts body={body} />
        ) : (
          <PlaceEntries
            place={named}
            of={body.connections.find((each) => each.connection === connection)}
          />
        )
      }
    </Read>
  )
}

/**
 * The four places of the way to the bank are always shown; the others when there is something in
 * them.
 */
const ALWAYS: readonly MoneyPlace[] = ['receivable', 'wallet', 'in_transit', 'bank']
const HELD: readonly MoneyPlace[] = ['withheld', 'unexplained']
/** With what is the merchant's of shared wallets, where there is something in them. */
const placesOf = ({ at_service }: MoneyBody['whole']): readonly MoneyPlace[] =>
  at_service === 0
    ? ALWAYS
    : ALWAYS.flatMap((place) => (place === 'wallet' ? [place, 'at_service'] : [place]))

type ConnectionAmounts = MoneyBody['connections'][number]

function Amounts({ body: { whole, connections } }: { body: MoneyBody }) {
  const { books } = useWords()
  const nameOf = useConnectionName()
  const { accountId } = usePlace()
  if (connections.length === 0) return <NoMoney />
  const places = placesOf(whole)
  const columns: Column<ConnectionAmounts>[] = [
    {
      heading: books.connection,
      cell: (amounts) => (
        <>
          <b>{nameOf(amounts)}</b>
          {HELD.filter((place) => amounts[place] !== 0).map((place) => (
            <span key={place} className="sub warn">
              {books.placeSum(books.places[place])} <PlaceAmount place={place} amounts={amounts} />
            </span>
          ))}
        </>
      ),
    },
    ...places.map((place) => ({
      heading: books.places[place],
      isBelow: true,
      at: 'end' as const,
      isTight: true,
      cell: (amounts: ConnectionAmounts) => (
        <span className="place-line">
          <span className="until-sm soft">{books.places[place]}</span>
          <PlaceAmount place={place} amounts={amounts} />
        </span>
      ),
    })),
  ]
  return (
    <div className="grid">
      {[...places, ...HELD.filter((place) => whole[place] !== 0)].map((place) => (
        <Card key={place} className={`quarter place ${HELD.includes(place) ? 'held' : ''}`}>
          <h2 className="soft small">{books.places[place]}</h2>
          <p className="big">{formatAmount(whole[place])}</p>
          <p className="sub">{books.placeHelp[place]}</p>
          {place === 'wallet' && whole.opening !== 0 && (
            <p className="sub">{books.openingPart(formatAmount(whole.opening))}</p>
          )}
          {whole[place] !== 0 && <PlaceLink place={place} name={books.behind} />}
          {place === 'in_transit' && whole[place] !== 0 && (
            <Link
              className="inline-link"
              to="/a/$accountId/money/{-$part}"
              params={{ accountId, part: 'settlements' }}
            >
              {books.settlement.confirm}
            </Link>
          )}
        </Card>
      ))}
      <Card title={books.byConnection} flush>
        <Rows
          label={books.byConnection}
          columns={columns}
          rows={connections}
          keyOf={({ connection }) => connection}
        />
      </Card>
    </div>
  )
}

/** Nothing is behind an amount of zero. */
const PlaceAmount = ({ place, amounts }: { place: MoneyPlace; amounts: ConnectionAmounts }) =>
  amounts[place] === 0 ? (
    <span className="soft">{formatAmount(0)}</span>
  ) : (
    <PlaceLink place={place} of={amounts} name={formatAmount(amounts[place])} />
  )

function PlaceLink({
  place,
  of,
  name,
}: {
  place: MoneyPlace
  of?: ConnectionAmounts
  name: string
}) {
  const { books } = useWords()
  const nameOf = useConnectionName()
  const { accountId } = usePlace()
  const where = of === undefined ? books.every : nameOf(of)
  return (
    <Link
      className="inline-link"
      to="/a/$accountId/money/{-$part}"
      params={{ accountId, part: 'where' }}
      search={{ place, ...(of !== undefined && { connection: of.connection }) }}
      aria-label={`${of === undefined ? '' : `${name}. `}${books.behindOf(books.places[place], where)}`}
    >
      {name}
    </Link>
  )
}

function NoMoney() {
  const { books, home } = useWords()
  const { accountId, role } = usePlace()
  return (
    <Card>
      <Empty icon={<MoneyIcon size={40} />} title={books.whereEmpty} help={books.whereEmptyHelp}>
        {may(role, 'makeLinks') && (
          <Button component={Link} to={`/a/${accountId}/links`}>
            {home.makeLink}
          </Button>
        )}
      </Empty>
    </Card>
  )
}

function PlaceEntries({ place, of }: { place: MoneyPlace; of: ConnectionAmounts | undefined }) {
  const { books } = useWords()
  const nameOf = useConnectionName()
  const { accountId, base } = usePlace()
  const pages = usePages(base, 'GET /money/entries', {
    place,
    connection: of?.connection,
  })
  return (
    <>
      <Anchor component={Link} to={`/a/${accountId}/money/where`} className="back">
        {books.tabs.where}
      </Anchor>
      <h2 className="part-title">{dotted(books.places[place], of && nameOf(of))}</h2>
      <p className="soft lead">{books.entriesLead[place]}</p>
      <PagedRows
        label={books.places[place]}
        pages={pages}
        columns={useColumns(place)}
        keyOf={({ entry }) => entry}
        opens
        empty={
          <Empty
            icon={<MoneyIcon size={40} />}
            title={books.entriesEmpty}
            help={books.entriesEmptyHelp}
          />
        }
      />
    </>
  )
}

function useColumns(place: MoneyPlace): Column<MoneyEntryRow>[] {
  const { books, common } = useWords()
  const names =
    place === 'unexplained' ? { ...books.kinds, ...books.unexplainedKinds } : books.kinds
  const nameOf = useConnectionName()
  return [
    {
      heading: books.movement,
      cell: ({ kind, reference, publicReference, bookedAt, ...named }) => (
        <>
          <MovementName name={names[kind] ?? kind} reference={reference} />
          <span className="sub parts">
            {publicReference !== null && <span className="mono">{publicReference}</span>}
            <span className="until-sm">{nameOf(named)}</span>
            <span className="until-sm">
              <When at={bookedAt} isShort />
            </span>
          </span>
        </>
      ),
    },
    { heading: books.connection, from: 'sm', cell: nameOf },
    {
      heading: common.date,
      from: 'sm',
      isTight: true,
      cell: ({ bookedAt }) => <When at={bookedAt} />,
    },
    {
      heading: common.amount,
      at: 'end',
      isTight: true,
      cell: ({ amount }) => <b>{formatSignedAmount(amount)}</b>,
    },
  ]
}

/** What moved, as a link to its payment where there is one. */
export function MovementName({ name, reference }: { name: string; reference: string | null }) {
  const { accountId } = usePlace()
  if (reference === null) return <b>{name}</b>
  return (
    <Link
      className="opener"
      to="/a/$accountId/payments/$reference"
      params={{ accountId, reference }}
    >
      {name}
    </Link>
  )
}
