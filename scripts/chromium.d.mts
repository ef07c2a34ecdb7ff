export function findChromium(): Promise<string | null>
export function findChromiumForTests(): Promise<string | null>
