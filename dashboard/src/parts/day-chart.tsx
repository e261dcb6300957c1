// Amounts over time as bars, drawn here: a library of charts would weigh more than all pages together. What the bars show is also a
// table, for those who do not see them.
import { VisuallyHidden } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import * as format from '../format.ts'
import { useSpoken } from '../words/language.tsx'
import { ceiling } from './chart-scale.ts'

export interface Bar {
  label: string
  value: number
}

const HEIGHT = 220
const [TOP, BOTTOM, LEFT] = [12, 26, 52]
const LINES = 4
/** A letter of a label needs so many pixels, and two labels so many between them. */
const [LETTER, BETWEEN] = [6.5, 24]
/** How far a label may stand out at the right: less than a card's margin. */
const OUTSIDE = 8

export function BarChart({ bars, name, heading }: { bars: readonly Bar[]; name: string; heading: [string, string] }) {
  const { language } = useSpoken()
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
        {shown === undefined
          ? '\u00a0'
          : `${shown.label} : ${format.amount(shown.value)}`.replace(' :', language === 'fr' ? '\u00a0:' : ':')}
      </p>
      <svg
        height={HEIGHT}
        aria-hidden="true"
        onPointerLeave={() => setChosen(undefined)}
        onPointerMove={({ currentTarget, clientX }) => {
          const at = Math.floor((clientX - currentTarget.getBoundingClientRect().left - LEFT) / step)
          setChosen(at >= 0 && at < bars.length ? at : undefined)
        }}
      >
        {Array.from({ length: LINES + 1 }, (_, line) => (most / LINES) * line).map((value) => (
          <g key={value}>
            <line className="rule" x1={LEFT} x2={width} y1={y(value)} y2={y(value)} />
            <text x={LEFT - 8} y={y(value) + 4} textAnchor="end">
              {format.shortCount(value, language)}
            </text>
          </g>
        ))}
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
            {/* Counted from the newest, which everybody looks for first. */}
            {(last - at) % every === 0 && LEFT + step * (at + 0.5) >= labelWidth / 2 && (
              <text
                x={Math.min(LEFT + step * (at + 0.5), width + OUTSIDE - (label.length * LETTER) / 2)}
                y={HEIGHT - 6}
                textAnchor="middle"
              >
                {label}
              </text>
            )}
          </g>
        ))}
      </svg>
      <VisuallyHidden>
        <table aria-label={name}>
          <thead>
            <tr>
              <th scope="col">{heading[0]}</th>
              <th scope="col">{heading[1]}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ label, value }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{format.amount(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  )
}
