package dev.outboard.fabric.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ErrnoTest {
    @Test
    void everyNumberThatIsKnownHasItsName() throws IllegalAccessException {
        List<Field> numbers =
                Arrays.stream(Errno.class.getFields())
                        .filter(field -> Modifier.isStatic(field.getModifiers()))
                        .toList();
        assertThat(numbers).hasSizeGreaterThan(15);
        for (Field number : numbers) {
            assertThat(Errno.name(number.getInt(null))).isEqualTo(number.getName());
        }
    }

    @Test
    void anyOtherIsNamedByItsNumber() {
        assertThat(Errno.name(9999)).isEqualTo("errno 9999");
    }
}
