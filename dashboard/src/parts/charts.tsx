// Charts, drawn here: a library would weigh more than all pages. Each is also a table for screen
// readers.
import { VisuallyHidden } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { formatAmount, formatPercent, formatShortCount } from '../format.ts'

export type Bar = { label: string; value: number }

const HEIGHT = 220
const [TOP, BOTTOM, LEFT] = [12, 26, 52]
const LINES = 4
/** Pixels of a character of a label, and between two labels. */
const [LETTER, BETWEEN] = [6.5, 24]
/** How far a label may overflow at the right: less than a card's margin. */
const OUTSIDE = 8

export function BarChart({
  bars,
  name,
  heading,
}: {
  bars: readonly Bar[]
  name: string
  heading: [string, string]
}) {
  const { ref, width } = useElementSize<HTMLElement>()
  const [chosen, setChosen] = useState<number>()
  const most = ceiling(Math.max(...bars.map(({ value }) => value), 1))
  const step = Math.max(0, width - LEFT) / Math.max(1, bars.length)
  const thick = Math.max(1, Math.min(40, step * 0.7))
  const y = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / most)
  const labelWidth = Math.max(...bars.map(({ label }) => label.length), 1) * LETTER + BETWEEN
  const every = Math.ceil(labelWidth / Math.max(1, step))
  const last = bars.length - 1
  const shown = chosen === undefined ? undefined : bars[chosen]
  return (
    <figure className="chart" ref={ref}>
      <p className="chart-note" aria-hidden="true">
        {shown === undefined ? '\u00a0' : `${shown.label} · ${formatAmount(shown.value)}`}
      </p>
      <svg
        height={HEIGHT}
        aria-hidden="true"
        onPointerLeave={() => setChosen(undefined)}
        onPointerMove={({ currentTarget, clientX }) => {
          const at = Math.floor(
            (clientX - currentTarget.getBoundingClientRect().left - LEFT) / step,
          )
          setChosen(at >= 0 && at < bars.length ? at : undefined)
        }}
      >
        <Grid
          ticks={Array.from({ length: LINES + 1 }, (_, line) => (most / LINES) * line)}
          y={y}
          left={LEFT}
          width={width}
        />
        {bars.map(({ label, value }, at) => (
          <g key={label}>
            {value > 0 && (
              <rect
                className={chosen !== undefined && chosen !== at ? 'bar other' : 'bar'}
                x={LEFT + step * at + (step - thick) / 2}
                y={Math.min(y(value), y(0) - 2)}
                width={thick}
                height={Math.max(2, y(0) - y(value))}
                rx={Math.min(4, thick / 3)}
              />
            )}
            {/* Counted from the newest, which readers look for first. */}
            {(last - at) % every === 0 && LEFT + step * (at + 0.5) >= labelWidth / 2 && (
              <text
                x={Math.min(
                  LEFT + step * (at + 0.5),
                  width + OUTSIDE - (label.length * LETTER) / 2,
                )}
                y={HEIGHT - 6}
                textAnchor="middle"
              >
                {label}
              </text>
            )}
          </g>
        ))}
      </svg>
      <HiddenTable
        name={name}
        heading={heading}
        rows={bars.map(({ label, value }) => [label, formatAmount(value)])}
      />
    </figure>
  )
}

type Line = { name: string; values: readonly (number | null)[] }

interface LineChartProps {
  name: string
  labels: readonly string[]
  lines: readonly Line[]
  unit?: string
}

const LINE_HEIGHT = 180
const [LINE_TOP, LINE_BOTTOM, LINE_LEFT] = [10, 24, 44]

/**
 * Values over time as lines: the first full, the second dashed, so that they differ without colour.
 */
export function LineChart({ name, labels, lines, unit = '' }: LineChartProps) {
  const { ref, width } = useElementSize<HTMLElement>()
  const most = ceiling(
    Math.max(2, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0))),
  )
  const x = (at: number): number =>
    LINE_LEFT + ((width - LINE_LEFT) * at) / Math.max(1, labels.length - 1)
  const y = (value: number): number =>
    LINE_TOP + (LINE_HEIGHT - LINE_TOP - LINE_BOTTOM) * (1 - value / most)
  const path = (values: Line['values']): string =>
    values
      .map((value, at) =>
        value === null
          ? ''
          : // A stroke of no length draws a single value as a dot.
            `${values[at - 1] == null ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}${values[at + 1] == null ? 'h0' : ''}`,
      )
      .join('')
  return (
    <figure className="chart" ref={ref}>
      <svg height={LINE_HEIGHT} aria-hidden="true">
        <Grid ticks={[0, most / 2, most]} y={y} left={LINE_LEFT} width={width} />
        {lines.map((line, at) => (
          <path
            key={line.name}
            className={at === 0 ? 'line' : 'line second'}
            d={path(line.values)}
          />
        ))}
        <text x={LINE_LEFT} y={LINE_HEIGHT - 4}>
          {labels[0]}
        </text>
        <text x={width} y={LINE_HEIGHT - 4} textAnchor="end">
          {labels.at(-1)}
        </text>
      </svg>
      {lines.length > 1 && (
        <figcaption className="legend">
          {lines.map((line, at) => (
            <span key={line.name} className={at === 0 ? 'first' : 'second'}>
              {line.name}
            </span>
          ))}
        </figcaption>
      )}
      <HiddenTable
        name={name}
        heading={['', ...lines.map((line) => line.name)]}
        rows={labels.map((label, at) => [
          label,
          ...lines.map(({ values }) => `${values[at] ?? '–'} ${unit}`),
        ])}
      />
    </figure>
  )
}

interface HiddenTableProps {
  name: string
  heading: readonly string[]
  /** Each begins with its label. */
  rows: readonly (readonly string[])[]
}

const HiddenTable = ({ name, heading, rows }: HiddenTableProps) => (
  <VisuallyHidden>
    <table aria-label={name}>
      <thead>
        <tr>
          {heading.map((each) =>
            each === '' ? (
              <td key={each} />
            ) : (
              <th key={each} scope="col">
                {each}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, ...cells]) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {cells.map((cell, at) => (
              <td key={heading[at + 1]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </VisuallyHidden>
)

/**
 * The next round number: 1, 2, 4 or 8 times a power of ten, which two and four lines divide well.
 */
function ceiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 8, 10].find((each) => each * power >= value) ?? 10) * power
}

interface MeterProps {
  name: ReactNode
  value: ReactNode
  /** Between 0 and 1. */
  share: number
  tone?: 'good' | 'bad' | undefined
}

export function Meter({ name, value, share, tone }: MeterProps) {
  return (
    <div className="meter">
      <div>
        <span>{name}</span>
        <b>{value}</b>
      </div>
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect className="ground" width="100" height="4" rx="1" />
        <rect
          className={`share ${tone ?? ''}`}
          width={Math.max(0, Math.min(1, share)) * 100}
          height="4"
          rx="1"
        />
      </svg>
    </div>
  )
}

type SuccessMeterProps = { name: ReactNode; succeeded: number; failed: number }

export function SuccessMeter({ name, succeeded, failed }: SuccessMeterProps) {
  const share = succeeded === 0 ? 0 : succeeded / (succeeded + failed)
  return (
    <Meter
      name={name}
      value={formatPercent(share)}
      share={share}
      tone={share < 0.5 ? 'bad' : 'good'}
    />
  )
}

type GridProps = {
  ticks: readonly number[]
  y(value: number): number
  left: number
  width: number
}

const Grid = ({ ticks, y, left, width }: GridProps) =>
  ticks.map((value) => (
    <g key={value}>
      <line className="rule" x1={left} x2={width} y1={y(value)} y2={y(value)} />
      <text x={left - 8} y={y(value) + 4} textAnchor="end">
        {formatShortCount(value)}
      </text>
    </g>
  ))
