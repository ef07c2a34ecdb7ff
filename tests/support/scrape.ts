/**
 * The values in a server's metrics, by series, such as `name{label="value"}`. A series' labels are
 * sorted.
 */
export type Scrape = Map<string, number>

function parseMetrics(text: string): Scrape {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const separatorIndex = line.lastIndexOf(' ')
      return [
        sortSeriesLabels(line.slice(0, separatorIndex)),
        Number(line.slice(separatorIndex + 1)),
      ]
    }),
  )
}

function sortSeriesLabels(series: string): string {
  return series.replace(/\{(.*)\}/, (_, labels: string) => {
    const pairs = labels.match(/\w+="[^"]*"/g) ?? []
    return `{${pairs.toSorted().join(',')}}`
  })
}

export async function scrape({ url }: { url: string }): Promise<Scrape> {
  const response = await fetch(new URL('/metrics', url))
  if (response.status !== 200) throw new Error(`the metrics answered ${response.status}`)
  return parseMetrics(await response.text())
}
