// table: cities of the demo, and a weather that never changes.

export interface City {
  readonly en: string;
  readonly zh: string;
  readonly celsius: number;
  readonly sky: keyof typeof skies;
}

export const skies = {
  clear: { en: "clear", zh: "晴" },
  cloudy: { en: "cloudy", zh: "多云" },
  rain: { en: "rain", zh: "小雨" },
  snow: { en: "snow", zh: "小雪" },
  fog: { en: "fog", zh: "雾" },
} as const;

export const cities: readonly City[] = [
  { en: "Beijing", zh: "北京", celsius: 3, sky: "clear" },
  { en: "Shanghai", zh: "上海", celsius: 12, sky: "cloudy" },
  { en: "Guangzhou", zh: "广州", celsius: 21, sky: "clear" },
  { en: "Shenzhen", zh: "深圳", celsius: 22, sky: "clear" },
  { en: "Hangzhou", zh: "杭州", celsius: 11, sky: "rain" },
  { en: "Chengdu", zh: "成都", celsius: 10, sky: "fog" },
  { en: "Harbin", zh: "哈尔滨", celsius: -11, sky: "snow" },
  { en: "Hong Kong", zh: "香港", celsius: 23, sky: "cloudy" },
  { en: "Taipei", zh: "台北", celsius: 20, sky: "rain" },
  { en: "Tokyo", zh: "东京", celsius: 13, sky: "clear" },
  { en: "Singapore", zh: "新加坡", celsius: 29, sky: "rain" },
  { en: "London", zh: "伦敦", celsius: 8, sky: "fog" },
  { en: "Paris", zh: "巴黎", celsius: 9, sky: "cloudy" },
  { en: "Berlin", zh: "柏林", celsius: 4, sky: "cloudy" },
  { en: "New York", zh: "纽约", celsius: 7, sky: "clear" },
  { en: "San Francisco", zh: "旧金山", celsius: 14, sky: "fog" },
  { en: "Sydney", zh: "悉尼", celsius: 24, sky: "clear" },
];

/** In the order in which the text names them. */
export function citiesIn(text: string): City[] {
  const lower = text.toLowerCase();
  const place = ({ en, zh }: City): number => {
    const places = [lower.indexOf(en.toLowerCase()), text.indexOf(zh)].filter(index => index >= 0);
    return places.length > 0 ? Math.min(...places) : -1;
  };
  return cities.filter(city => place(city) >= 0).sort((a, b) => place(a) - place(b));
}

export const cityNamed = (name: string): City | undefined =>
  cities.find(({ en, zh }) => en.toLowerCase() === name.trim().toLowerCase() || zh === name.trim());
