/** Dates as .NET's DateTimeOffset reads them from JSON and writes them. */

const pattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(?!$)(\d{0,16}))?)?(?:(Z)|([+-])(\d\d)(?::(\d\d))?)?)?$/;

/**
 * A date in the spelling that .NET writes: seconds, a fraction of at most seven digits without zeros at its end, an offset
 * and never `Z`. One without an offset is taken for UTC. Undefined where .NET refuses to read it.
 */
export function dotnetDate(text: string): string | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, year = "", month = "", day = "", hour = "00", minute = "00", second = "00", fraction = ""] = match;
  const [, , , , , , , , , sign = "+", offsetHour = "00", offsetMinute = "00"] = match;
  const days = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate(); // the calendar repeats after 400 years
  if (Number(year) < 1 || Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > days) {
    return undefined;
  }
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || Number(offsetMinute) > 59) return undefined;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === "-" ? -1 : 1);
  if (Math.abs(offset) > 14 * 60) return undefined;
  if (!isInRange({ year, month, day }, Number(hour) * 60 + Number(minute) - offset)) return undefined;
  const ticks = fraction.slice(0, 7).replace(/0+$/, "");
  const zone = offset === 0 ? "+00:00" : `${sign}${offsetHour}:${offsetMinute}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${ticks && `.${ticks}`}${zone}`;
}

/** The moment in UTC must lie in the years 1 to 9999 too. */
function isInRange(date: { year: string; month: string; day: string }, minutes: number): boolean {
  const day = `${date.year}-${date.month}-${date.day}`;
  return !(day === "0001-01-01" && minutes < 0) && !(day === "9999-12-31" && minutes >= 24 * 60);
}
