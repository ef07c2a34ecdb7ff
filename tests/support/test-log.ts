/** One line of the server's log, parsed. */
export interface LogLine extends Record<string, unknown> {
  level: number
  msg: string
}

/** A destination for pino that keeps every line. */
export const logCollector = (lines: LogLine[]) => ({
  write(line: string) {
    lines.push(JSON.parse(line))
  },
})
