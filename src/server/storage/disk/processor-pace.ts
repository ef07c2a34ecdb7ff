import { mebibyte } from '../../../shared/rules/format/units.ts'

/** Before this many bytes were read, no processor counts as slow. */
const leastBytes = 16 * mebibyte
/** Whenever more bytes than this count, all that was read so far counts only half from then on. */
const rememberedBytes = 64 * mebibyte

/**
 * Tells whether a processor computes SHA-256 slowly. Many systems count processor time in steps of
 * 1 to 10 ms, so a single turn says little: one of 100 bytes can count 4 ms, one of a MiB nothing.
 * Therefore the pace is that of all that was read lately.
 */
export class ProcessorPace {
  readonly #quickBytes: number
  #bytes = 0
  #micros = 0

  /** @param quickBytes a processor is slow if it reads fewer bytes than this in a microsecond. */
  constructor(quickBytes: number) {
    this.#quickBytes = quickBytes
  }

  /** Notes that a turn has read `bytes` bytes, in `micros` microseconds of processor time. */
  add(bytes: number, micros: number): void {
    this.#bytes += bytes
    this.#micros += micros
    if (this.#bytes <= rememberedBytes) return
    this.#bytes /= 2
    this.#micros /= 2
  }

  isSlow(): boolean {
    return this.#bytes >= leastBytes && this.#bytes < this.#micros * this.#quickBytes
  }
}
