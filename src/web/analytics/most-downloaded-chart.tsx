import type { File as StoredFile } from '../../shared/contract/files.ts'
import { groupDigits } from '../../shared/rules/format/numbers.ts'
import { ValueBar } from '../charts/bar-chart.tsx'
import { ChartFigure } from '../charts/chart-figure.tsx'
import { FileName } from '../ui/file-name.tsx'
import { summarizeMostDownloaded } from './findings.ts'

const title = 'Most downloaded'

export interface MostDownloadedChartProps {
  /** Sorted by downloads, in descending order. */
  files: readonly StoredFile[]
  /** If true, shows only the table, without bars. */
  asTable: boolean
}

/** Shows the most downloaded files as a table with inline bars. */
export function MostDownloadedChart({ files, asTable }: MostDownloadedChartProps) {
  const maxCount = files[0]?.downloadCount ?? 1
  return (
    <ChartFigure finding={summarizeMostDownloaded(files)} title={title}>
      {files.length === 0 ? (
        <p className="text-muted">The files with the most downloads will appear here.</p>
      ) : (
        <table className="chart-table chart-table-of-names">
          <caption className="sr-only">{title}</caption>
          <thead>
            <tr>
              <th scope="col">File</th>
              <td aria-hidden="true" />
              <th scope="col" className="chart-number">
                Downloads
              </th>
            </tr>
          </thead>
          <tbody>
            {files.map(({ id, originalName, downloadCount }) => (
              <tr key={id}>
                <th scope="row">
                  <FileName name={originalName} />
                </th>
                <td aria-hidden="true">
                  {asTable ? null : <ValueBar part={downloadCount / maxCount} />}
                </td>
                <td className="chart-number">{groupDigits(downloadCount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </ChartFigure>
  )
}
