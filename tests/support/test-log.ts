/** One line of the server's log, parsed. */
export interface LogLine extends Record<string, unknown> {
  level: number
  msg: string
}

/** Makes a destination for pino that keeps every line. */
export function logCollector(lines: LogLine[]) {
  return {
    write(line: string) {
      lines.push(JSON.parse(line))
    },
  }
}
