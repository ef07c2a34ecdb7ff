import { max } from 'd3-array'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { groupDigits } from '../../shared/rules/format/numbers.ts'
import { ValueBar } from '../charts/bar-chart.tsx'
import { ChartFigure } from '../charts/chart-figure.tsx'
import { KindIcon } from '../files/kind-icon.tsx'
import { type KindCount, kindNames, summarizeKinds } from './findings.ts'

const title = 'Files by kind'

export interface KindsChartProps {
  kinds: readonly KindCount[]
  /** If true, shows only the table, without bars. */
  asTable: boolean
}

/** Shows the number and size of files of each kind, as a table with inline bars. */
export function KindsChart({ kinds, asTable }: KindsChartProps) {
  const maxCount = max(kinds, ({ count }) => count) || 1
  const maxSize = max(kinds, ({ size }) => size) || 1
  const renderBar = (part: number) => (asTable ? null : <ValueBar part={part} />)
  return (
    <ChartFigure finding={summarizeKinds(kinds)} title={title}>
      <table className="chart-table">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <td aria-hidden="true" />
            <th scope="col" className="chart-number">
              Files
            </th>
            <td aria-hidden="true" />
            <th scope="col" className="chart-number">
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ kind, count, size }) => (
            <tr key={kind}>
              <th scope="row" className="whitespace-nowrap cramped:whitespace-normal">
                <span className="flex items-center gap-2.5">
                  <span className="text-muted cramped:hidden">
                    <KindIcon kind={kind} size={18} />
                  </span>
                  {kindNames[kind]}
                </span>
              </th>
              <td aria-hidden="true">{renderBar(count / maxCount)}</td>
              <td className="chart-number">{groupDigits(count)}</td>
              <td aria-hidden="true">{renderBar(size / maxSize)}</td>
              <td className="chart-number">{formatSize(size)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ChartFigure>
  )
}
