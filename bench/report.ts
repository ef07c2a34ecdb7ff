import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RequestQueries } from './queries.ts'
import { type Figure, ratio, toFigure } from './statistics.ts'

/** One row of the report's table. */
export interface Row {
  label: string
  unit: string
  mayfly: Figure
  nginx: Figure | null
  /** Mayfly's value divided by nginx's, round by round. */
  ratio: Figure | null
}

/** Creates a row without a ratio. */
export function createRow(
  label: string,
  unit: string,
  { mayfly, nginx }: { mayfly: number[]; nginx?: number[] },
): Row {
  return {
    label,
    unit,
    mayfly: toFigure(mayfly),
    nginx: nginx ? toFigure(nginx) : null,
    ratio: null,
  }
}

/** Creates a row with the ratio to nginx's values, if given. */
export function compare(label: string, unit: string, mayfly: number[], nginx?: number[]): Row {
  return {
    ...createRow(label, unit, { mayfly, ...(nginx && { nginx }) }),
    ratio: nginx ? ratio(mayfly, nginx) : null,
  }
}

/** A table with custom columns. The raw values are in `rounds`. */
export interface Table {
  head: string[]
  lines: string[][]
  rounds: unknown
}

export interface Report {
  machine: Record<string, string>
  rows: Row[]
  tables: Table[]
  queries: RequestQueries[]
}

/** Returns the report as Markdown. */
export function formatMarkdown({ machine, rows, tables, queries }: Report): string {
  const sections = [
    Object.entries(machine)
      .map(([name, value]) => `${name} ${value}`)
      .join(' · '),
  ]
  if (rows.length > 0) {
    sections.push(
      table(
        ['measured', 'unit', 'Mayfly (min to max)', 'nginx (min to max)', 'Mayfly / nginx'],
        rows.map((line) => [
          line.label,
          line.unit,
          formatFigure(line.mayfly, formatNumber),
          line.nginx ? formatFigure(line.nginx, formatNumber) : '',
          line.ratio ? formatFigure(line.ratio, (value) => value.toFixed(2)) : '',
        ]),
      ),
    )
  }
  for (const { head, lines } of tables) sections.push(table(head, lines))
  if (queries.length > 0) {
    sections.push(
      table(
        ['request', 'queries', 'which'],
        queries.map(({ request, statements }) => [
          request,
          String(statements.length),
          statements.join(', '),
        ]),
      ),
    )
  }
  return sections.join('\n\n')
}

function formatFigure({ median, min, max }: Figure, format: (value: number) => string): string {
  return min === max ? format(median) : `${format(median)} (${format(min)} to ${format(max)})`
}

function formatNumber(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** Returns a Markdown table with padded columns. */
export function table(headings: string[], lines: string[][]): string {
  const widths = headings.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)),
  )
  const format = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const separator = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [format(headings), separator, ...lines.map(format)].join('\n')
}

/** Writes the report, including the values from all rounds, to a JSON file. Returns its path. */
export async function saveReport(report: Report, now: Date): Promise<string> {
  const folder = join(import.meta.dirname, 'results')
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${now.toISOString().replaceAll(':', '-')}.json`)
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`)
  return path
}
