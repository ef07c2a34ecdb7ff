const firstNames =
  'Ada Grace Alan Edsger Barbara Donald Margaret Dennis Frances Ken Hedy Tim Radia Linus Karen ' +
  'John Jean Niklaus Adele Tony Shafi Leslie Anita Vint Evelyn Ivan Lynn Robin Sophie Butler Mary ' +
  'Peter Joan Claude Betty Kurt Ida Emmy Paul Maria Carl Sofia Leonhard Noor Wei Aisha Yuki Olga ' +
  'Mateo Zainab'
const lastNames =
  'Lovelace Hopper Turing Dijkstra Liskov Knuth Hamilton Ritchie Allen Thompson Lamarr Lee Perlman ' +
  'Torvalds Jones Backus Bartik Wirth Goldberg Hoare Goldwasser Lamport Borg Cerf Boyd Sutherland ' +
  'Conway Milner Wilson Lampson Shaw Naur Clarke Shannon Holberton Goedel Rhodes Noether Erdoes ' +
  'Agnesi Gauss Kovalevskaya Euler Khan Zhang Diallo Tanaka Ivanova Garcia Abubakar'

/**
 * SQL for a `from` clause. Selects one of 2,500 combinations of first and last names by `n`, as
 * `names.first` and `names.last`.
 */
export const personNamesSql = `lateral (
  select (${sqlArray(firstNames)})[(1 + n % 50)::int] as first,
    (${sqlArray(lastNames)})[(1 + n / 50 % 50)::int] as last) names`

function sqlArray(words: string): string {
  return `'{${words.replaceAll(' ', ',')}}'::text[]`
}
