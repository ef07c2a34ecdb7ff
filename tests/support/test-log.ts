export interface LogLine extends Record<string, unknown> {
  level: number
  msg: string
}

/** A pino destination that collects every line. */
export function logCollector(lines: LogLine[]) {
  return {
    write(line: string) {
      lines.push(JSON.parse(line))
    },
  }
}
