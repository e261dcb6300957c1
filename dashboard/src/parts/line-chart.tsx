// Values over time as lines: one full, a second dashed, told apart without colour. What they show is also a table.
import { VisuallyHidden } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import * as format from '../format.ts'
import { useSpoken } from '../words/language.tsx'
import { ceiling } from './chart-scale.ts'

interface Line {
  name: string
  values: readonly (number | null)[]
}

interface LineChartProps {
  name: string
  labels: readonly string[]
  lines: readonly Line[]
  unit?: string
}

const HEIGHT = 180
const [TOP, BOTTOM, LEFT] = [10, 24, 44]

export function LineChart({ name, labels, lines, unit = '' }: LineChartProps) {
  const { language } = useSpoken()
  const { ref, width } = useElementSize<HTMLElement>()
  const most = ceiling(Math.max(2, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0))))
  const x = (at: number): number => LEFT + ((width - LEFT) * at) / Math.max(1, labels.length - 1)
  const y = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / most)
  const path = (values: Line['values']): string =>
    values
      .map((value, at) =>
        value === null
          ? ''
          : // The stroke of no length makes a dot of a value that stands alone.
            `${(values[at - 1] ?? null) === null ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}${(values[at + 1] ?? null) === null ? 'h0' : ''}`,
      )
      .join('')
  const ticks = [0, most / 2, most]
  return (
    <figure className="chart" ref={ref}>
      <svg height={HEIGHT} aria-hidden="true">
        {ticks.map((value) => (
          <g key={value}>
            <line className="rule" x1={LEFT} x2={width} y1={y(value)} y2={y(value)} />
            <text x={LEFT - 6} y={y(value) + 4} textAnchor="end">
              {format.shortCount(value, language)}
            </text>
          </g>
        ))}
        {lines.map((line, at) => (
          <path key={line.name} className={at === 0 ? 'line' : 'line second'} d={path(line.values)} />
        ))}
        <text x={LEFT} y={HEIGHT - 4}>
          {labels[0]}
        </text>
        <text x={width} y={HEIGHT - 4} textAnchor="end">
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
      <VisuallyHidden>
        <table aria-label={name}>
          <thead>
            <tr>
              <td />
              {lines.map((line) => (
                <th key={line.name} scope="col">
                  {line.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, at) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {lines.map((line) => (
                  <td key={line.name}>
                    {line.values[at] ?? '–'} {unit}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  )
}
